/**
 * Writes the types of all frames from the server's own schema.
 *
 * node scripts/generate.mjs            frames.schema.json and src/protocol/frames.ts
 * node scripts/generate.mjs --check    writes nothing, and fails if either would change
 *
 * The schema comes from `manage.py frame_schema`, run by the Python in ADIUVA_PYTHON or in .venv; with
 * --schema FILE it is read from that file.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compile } from "json-schema-to-typescript";

const PACKAGE = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const ROOT = path.resolve(PACKAGE, "../..");
const SCHEMA = path.join(PACKAGE, "frames.schema.json");
const TYPES = path.join(PACKAGE, "src/protocol/frames.ts");

const { values: options } = parseArgs({
  options: { check: { type: "boolean", default: false }, schema: { type: "string" } },
});

const schema = options.schema ? readFileSync(options.schema, "utf8") : servedSchema();
const wanted = new Map([
  [SCHEMA, schema],
  [TYPES, await typesOf(schema)],
]);

if (options.check) {
  const stale = [...wanted].filter(([file, text]) => !existsSync(file) || readFileSync(file, "utf8") !== text);
  for (const [file] of stale) {
    console.error(`${path.relative(ROOT, file)} is stale: run npm run generate`);
  }
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of wanted) {
    writeFileSync(file, text);
  }
}

function servedSchema() {
  const python = process.env.ADIUVA_PYTHON ?? path.join(ROOT, ".venv/bin/python");
  return execFileSync(python, ["manage.py", "frame_schema"], {
    cwd: ROOT,
    encoding: "utf8",
    env: { ...process.env, ADIUVA_DEBUG: "1" },
  });
}

async function typesOf(text) {
  const fingerprint = createHash("sha256").update(text).digest("hex");
  return await compile(JSON.parse(text), "Frame", {
    additionalProperties: false,
    bannerComment: `// Made by npm run generate from frames.schema.json (SHA-256 ${fingerprint}). Do not edit.`,
    enableConstEnums: false,
    style: { printWidth: 120 },
    unreachableDefinitions: true,
  });
}
