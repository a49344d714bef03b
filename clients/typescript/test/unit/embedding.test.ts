/** Vectors over REST: what is sent, and which error means what. */
import { expect, test } from "vitest";
import { ConnectionFailed, type Fetch, noteEmbedder, RequestRejected, Unauthorized } from "../../src/index.js";

interface Asked {
  address: string;
  token: string | undefined;
  body: unknown;
}

const NOTE = { id: "n1", projectId: "p1", text: "Milk" };

function embedder(answers: (object | number | Error)[]) {
  const asked: Asked[] = [];
  const reasons: string[] = [];
  const fetch: Fetch = async (address, { headers, body }) => {
    asked.push({ address, token: headers.Authorization, body: JSON.parse(body) });
    const answer = answers.shift() ?? expect.fail();
    if (answer instanceof Error) {
      throw answer;
    }
    const status = typeof answer === "number" ? answer : 200;
    const said = typeof answer === "number" ? { code: "invalid", message: "No." } : answer;
    return { ok: status < 400, status, json: async () => said };
  };
  const token = async (reason: string) => {
    reasons.push(reason);
    return `token ${reasons.length}`;
  };
  return {
    embed: noteEmbedder({ server: "https://adiuva.example", token, deviceId: "laptop", fetch }),
    asked,
    reasons,
  };
}

test("a request says what the texts are of, and by which device", async () => {
  const made = { model: "m", vectors: [[1, 0], null] };
  const { embed, asked } = embedder([made]);

  expect(await embed([NOTE, { id: "n2", projectId: null, text: "Bread" }])).toEqual(made);
  expect(asked).toEqual([
    {
      address: "https://adiuva.example/api/v1/storage/vectors/embed",
      token: "Bearer token 1",
      body: {
        texts: [
          { text: "Milk", of: { table: "notes", id: "n1", project_id: "p1" } },
          { text: "Bread", of: { table: "notes", id: "n2", project_id: null } },
        ],
        device_id: "laptop",
      },
    },
  ]);
});

test("an expired token is renewed once", async () => {
  const { embed, asked, reasons } = embedder([401, { model: "m", vectors: [[1]] }, 401, 401]);

  await embed([NOTE]);
  expect(reasons).toEqual(["connect", "refused"]);
  await expect(embed([NOTE])).rejects.toEqual(new Unauthorized("No."));
  expect(asked).toHaveLength(4);
});

test.each([new TypeError("offline"), 408, 429, 500, 503])("%s can be retried", async (trouble) => {
  await expect(embedder([trouble]).embed([NOTE])).rejects.toBeInstanceOf(ConnectionFailed);
});

test.each([400, 403, 404, 413])("%s is final", async (status) => {
  await expect(embedder([status]).embed([NOTE])).rejects.toBeInstanceOf(RequestRejected);
});

test.each([401, 403, 404])("a proxy's %s can be retried", async (status) => {
  const fetch: Fetch = async () => ({ ok: false, status, json: async () => ({ message: "No." }) });
  const embed = noteEmbedder({ server: "https://adiuva.example", token: async () => "t", deviceId: "laptop", fetch });

  await expect(embed([NOTE])).rejects.toBeInstanceOf(ConnectionFailed);
});

test.each([{}, { model: "m", vectors: [] }, { vectors: [[1]] }])("%j is no answer", async (said) => {
  await expect(embedder([said]).embed([NOTE])).rejects.toThrow("The server's vectors cannot be read.");
});
