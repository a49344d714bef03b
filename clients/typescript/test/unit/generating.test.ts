/** The check for stale types fails when the server's schema differs. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";

const PACKAGE = path.resolve(import.meta.dirname, "../..");
const SERVED = readFileSync(path.join(PACKAGE, "frames.schema.json"), "utf8");

function check(schema: string) {
  const folder = mkdtempSync(path.join(tmpdir(), "adiuva-schema-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, "schema.json");
  writeFileSync(file, schema);
  const { status, stderr } = spawnSync("node", ["scripts/generate.mjs", "--check", "--schema", file], {
    cwd: PACKAGE,
    encoding: "utf8",
  });
  return { status, stderr };
}

test("the types are those of the schema beside them", () => {
  expect(check(SERVED)).toEqual({ status: 0, stderr: "" });
});

test("a field with another name makes them stale", () => {
  expect(check(SERVED.replaceAll('"chunk"', '"piece"'))).toEqual({
    status: 1,
    stderr: [
      "clients/typescript/frames.schema.json is stale: run npm run generate",
      "clients/typescript/src/protocol/frames.ts is stale: run npm run generate",
      "",
    ].join("\n"),
  });
});
