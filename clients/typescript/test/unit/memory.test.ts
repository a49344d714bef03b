/** What was remembered, corrected and forgotten over REST. */
import { expect, test } from "vitest";
import {
  ConnectionFailed,
  type Fetch,
  Forgotten,
  type MemoryName,
  memoryEditor,
  RequestRejected,
} from "../../src/index.js";

const GONE = { code: "not_found", message: "Not found." };
const TEA: MemoryName = { id: "c1", kind: "preference" };

function editor(...answers: [number, unknown][]) {
  const asked: [method: string, address: string, body: unknown][] = [];
  const fetch: Fetch<string | undefined> = async (address, { method, body }) => {
    asked.push([method, address.replace("https://adiuva.example/api/v1/memory/", ""), body && JSON.parse(body)]);
    const [status, answer] = answers.shift() ?? expect.fail();
    return { ok: status < 400, status, json: async () => answer };
  };
  return { ...memoryEditor({ server: "https://adiuva.example", token: async () => "token", fetch }), asked };
}

test.each([
  ["fact", "associative", "content"],
  ["exchange", "episodic", "summary"],
  ["habit", "proactive", "pattern"],
] as const)("a %s is corrected and forgotten where it is stored", async (kind, tier, field) => {
  const { correct, forget, asked } = editor([200, {}], [204, null]);

  await correct({ id: "1", kind }, "The roof leaks.");
  await forget({ id: "1", kind });

  expect(asked).toEqual([
    ["PATCH", `${tier}/1`, { [field]: "The roof leaks." }],
    ["DELETE", `${tier}/1`, undefined],
  ]);
});

const ROWS = [
  { id: "c0", key: "pet" },
  { id: "c1", key: "tea / coffee" },
];

test.each([
  ["in a list", { results: ROWS, next: null }],
  ["of an older server", ROWS],
])("a preference %s is corrected under its key", async (_, rows) => {
  const { correct, asked } = editor([200, rows], [200, {}]);

  await correct(TEA, "Assam");

  expect(asked).toEqual([
    ["GET", "core", undefined],
    ["PUT", "core/tea%20%2F%20coffee", { value: "Assam" }],
  ]);
});

test("what a proxy answers forgets nothing", async () => {
  const { correct, forget } = editor([404, null], [200, null]);

  await expect(forget(TEA)).rejects.toBeInstanceOf(ConnectionFailed);
  await expect(correct(TEA, "Assam")).rejects.toBeInstanceOf(ConnectionFailed);
});

test("what is forgotten already is forgotten, and cannot be corrected", async () => {
  const { correct, forget } = editor([404, GONE], [200, []], [404, GONE]);

  await forget(TEA);

  await expect(correct(TEA, "Assam")).rejects.toThrow(Forgotten);
  await expect(correct({ id: "1", kind: "fact" }, "Assam")).rejects.toThrow(Forgotten);
});

test("what the server refuses is an error", async () => {
  const { correct, forget } = editor([400, { code: "invalid", message: "Too long." }], [503, { message: "Later." }]);

  await expect(correct({ id: "1", kind: "fact" }, "x")).rejects.toEqual(new RequestRejected("Too long.", "invalid"));
  await expect(forget(TEA)).rejects.toEqual(new ConnectionFailed("Later."));
});
