/** Images over REST: what is sent, and which error means what. */
import { expect, test } from "vitest";
import { ConnectionFailed, type Fetch, IMAGE_LIMITS, imageUploader, RequestRejected } from "../../src/index.js";

const KEPT = { id: "i1", media_type: "image/png", width: 4, height: 3, expires_at: "2026-03-29T10:10:00Z" };
const IMAGE = new Blob(["pixels"], { type: "image/png" });

function uploader(answers: [number, object | null][]) {
  const asked: { address: string; headers: Record<string, string>; size: number }[] = [];
  const fetch: Fetch<Blob> = async (address, { headers, body }) => {
    asked.push({ address, headers, size: body.size });
    const [status, answer] = answers.shift() ?? expect.fail();
    return { ok: status < 400, status, json: async () => answer };
  };
  let tokens = 0;
  const token = async () => `token ${++tokens}`;
  return { upload: imageUploader({ server: "https://adiuva.example", token, fetch }), asked };
}

test("the file goes as it is, with its type", async () => {
  const { upload, asked } = uploader([[201, KEPT]]);

  const expiresAt = Date.UTC(2026, 2, 29, 10, 10);
  expect(await upload(IMAGE)).toEqual({ id: "i1", width: 4, height: 3, expiresAt });
  expect(asked).toEqual([
    {
      address: "https://adiuva.example/api/v1/images",
      headers: { Authorization: "Bearer token 1", "Content-Type": "image/png" },
      size: 6,
    },
  ]);
});

test("an expired token is renewed once", async () => {
  const { upload, asked } = uploader([
    [401, null],
    [201, KEPT],
  ]);

  await upload(IMAGE);
  expect(asked.map(({ headers }) => headers.Authorization)).toEqual(["Bearer token 1", "Bearer token 2"]);
});

test("a file that is no image is refused for good, with the server's code", async () => {
  const { upload } = uploader([[400, { code: "invalid", message: "This is no image." }]]);

  await expect(upload(IMAGE)).rejects.toEqual(new RequestRejected("This is no image.", "invalid"));
});

test("a file that is too large is not sent", async () => {
  const { upload, asked } = uploader([]);

  await expect(upload(new Blob([new Uint8Array(IMAGE_LIMITS.bytes + 1)]))).rejects.toThrow(RequestRejected);
  expect(asked).toEqual([]);
});

test.each([429, 500, 503])("after %d it may be tried again", async (status) => {
  const { upload } = uploader([[status, { message: "Later." }]]);

  await expect(upload(IMAGE)).rejects.toEqual(new ConnectionFailed("Later."));
});

test("an answer that cannot be read is a failed connection", async () => {
  const { upload } = uploader([[201, { id: 7 }]]);

  await expect(upload(IMAGE)).rejects.toThrow(ConnectionFailed);
});
