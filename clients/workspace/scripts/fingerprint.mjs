/**
 * Writes a fingerprint of the sources beside the built files; with --check it says whether the sources have changed.
 *
 * The fingerprint is the SHA-256 of the lines `path SHA-256` of all sources, sorted by path. `tests/generated.py`
 * computes the same without Node.
 */
import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

const CLIENTS = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const RECORD = path.resolve(CLIENTS, "../adiuva/workspace/built/sources.sha256");
const FOLDERS = ["typescript/src", "workspace/public", "workspace/src"];
const FILES = ["workspace/index.html", "workspace/package-lock.json", "workspace/vite.config.ts"];

const digest = (content) => createHash("sha256").update(content).digest("hex");

const inFolders = FOLDERS.flatMap((folder) =>
  readdirSync(path.join(CLIENTS, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(CLIENTS, path.join(entry.parentPath, entry.name)).split(path.sep).join("/")),
);
const lines = [...inFolders, ...FILES]
  .sort()
  .map((name) => `${name} ${digest(readFileSync(path.join(CLIENTS, name)))}\n`);
const fingerprint = `${digest(lines.join(""))}\n`;

if (!process.argv.includes("--check")) {
  writeFileSync(RECORD, fingerprint);
} else if (readFileSync(RECORD, "utf8") !== fingerprint) {
  console.error("adiuva/workspace/built is stale: run npm run build in clients/workspace, and commit what it writes");
  process.exitCode = 1;
}
