import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const SCRIPT = path.resolve(import.meta.dirname, "../../scripts/check-publishing.mjs");
const REPOSITORY = { type: "git", url: "git+https://adiuva.test/adiuva.git" };

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "adiuva-publishing-"));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function check(fields: object): { status: number | null; stderr: string } {
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(fields));
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT], { cwd: folder, encoding: "utf8" });
  return { status, stderr };
}

test.each([
  [{ license: "MIT" }, "`repository`"],
  [{ license: "MIT", repository: { type: "git" } }, "`repository`"],
  [{ license: "MIT", repository: manifest.repository }, "`repository`"],
  [{ license: "MIT", repository: "git+https://adiuva.example" }, "`repository`"],
  [{ repository: REPOSITORY }, "`license`"],
  [{ license: "UNLICENSED", repository: REPOSITORY }, "`license`"],
])("a package that lacks a field is not published: %j", (fields, named) => {
  const { status, stderr } = check(fields);

  expect(status).toBe(1);
  expect(stderr.split("\n- ")).toEqual([expect.any(String), expect.stringContaining(named)]);
});

test.each([REPOSITORY, REPOSITORY.url])("a package that says where its sources are is published: %j", (repository) => {
  expect(check({ license: "MIT", repository })).toEqual({ status: 0, stderr: "" });
});

test("npm asks before it publishes", () => {
  expect(manifest.scripts.prepublishOnly).toBe("node scripts/check-publishing.mjs");
});
