/** REST by openapi-fetch, with the types that openapi-typescript made. Prints what it saw as JSON. */
import createClient from "openapi-fetch";
import type { paths } from "./openapi.js";

const [server = ""] = process.argv.slice(2);
const anonymous = createClient<paths>({ baseUrl: server });

const registered = await anonymous.POST("/api/v1/auth/register", {
  body: { email: `${crypto.randomUUID()}@example.com`, password: "correct horse battery staple" },
});
if (registered.data === undefined) {
  throw new Error(registered.error.message);
}
const rest = createClient<paths>({
  baseUrl: server,
  headers: { Authorization: `Bearer ${registered.data.access}` },
});

const me = await rest.GET("/api/v1/auth/me");
const read = me.response.headers.get("ETag") ?? "";
const condition = { params: { header: { "If-Match": read } } };
const changed = await rest.PATCH("/api/v1/auth/me", { ...condition, body: { language: "it" } });
const refused = await rest.PATCH("/api/v1/auth/me", { ...condition, body: { language: "en" } });

const once = { params: { header: { "Idempotency-Key": crypto.randomUUID() } }, body: { name: "Editor" } };
const token = await rest.POST("/api/v1/auth/tokens", once);
const again = await rest.POST("/api/v1/auth/tokens", once);
const tokens = await rest.GET("/api/v1/auth/tokens");

const jobs = await rest.GET("/api/v1/jobs", { params: { query: { limit: 5 } } });
// Only the message is required.
const asked = await rest.POST("/api/v1/chat", { body: { message: "What is due today?" } });

console.log(
  JSON.stringify({
    language: changed.data?.language,
    refused: [refused.response.status, refused.error?.code, refused.error?.type],
    isSameToken: token.data?.token !== undefined && token.data.token === again.data?.token,
    tokens: tokens.data?.results.length,
    jobs: jobs.data,
    asked: [asked.response.status, asked.error?.code],
    limit: me.response.headers.get("RateLimit")?.startsWith('"rest";r='),
  }),
);
