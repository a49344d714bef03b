import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { compiledTexts } from "./src/i18n/build.ts";

const CLIENT = new URL("../typescript/src/", import.meta.url).pathname;
const SERVER = process.env.ADIUVA_SERVER ?? "http://127.0.0.1:8000";

/** Parts of SQLite's package for other ways of keeping a database, which are never loaded. */
const UNUSED = /sqlite3-(worker1|opfs-async-proxy)/;

const withoutUnused: Plugin = {
  name: "without-unused",
  enforce: "post",
  generateBundle(_options, bundle) {
    for (const name of Object.keys(bundle).filter((each) => UNUSED.test(each))) {
      delete bundle[name];
    }
  },
};

const BASE = "/app/";
const BUILT = path.resolve(import.meta.dirname, "../../adiuva/workspace/built");
const WORKER = "service-worker.js";
/** Files that the page never asks for. */
const NOT_CACHED = new Set([WORKER, "sources.sha256"]);

const digestOf = (content: string | Buffer) => createHash("sha256").update(content).digest("hex");

/** Tells the service worker which files there are. */
const withFiles: Plugin = {
  name: "with-files",
  apply: "build",
  closeBundle() {
    const names = readdirSync(BUILT, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !NOT_CACHED.has(entry.name))
      .map((entry) => path.relative(BUILT, path.join(entry.parentPath, entry.name)).split(path.sep).join("/"))
      .sort();
    const files = names.map((name) => [BASE + name, digestOf(readFileSync(path.join(BUILT, name)))]);
    const worker = readFileSync(path.join(BUILT, WORKER), "utf8")
      .replace('"development"', JSON.stringify(digestOf(JSON.stringify(files)).slice(0, 16)))
      .replace("FILES = {}", `FILES = ${JSON.stringify(Object.fromEntries(files))}`);
    writeFileSync(path.join(BUILT, WORKER), worker);
  },
};

export default defineConfig({
  base: BASE,
  plugins: [compiledTexts(), react(), withoutUnused, withFiles],
  resolve: {
    // From its sources, so that a change there needs no build of its own.
    alias: [
      { find: /^@adiuva\/client\/database$/, replacement: `${CLIENT}database/index.ts` },
      { find: /^@adiuva\/client$/, replacement: `${CLIENT}index.ts` },
    ],
    dedupe: ["drizzle-orm", "@noble/hashes"],
  },
  worker: { format: "es", plugins: () => [compiledTexts()] },
  optimizeDeps: { exclude: ["@sqlite.org/sqlite-wasm"] },
  server: { proxy: { "/api": { target: SERVER, ws: true } } },
  build: {
    target: "es2022",
    outDir: BUILT,
    emptyOutDir: true,
    // The page's policy forbids inline assets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // The first page is one file, fetched and compiled at once; what it weighs compressed is measured in the benchmarks.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "first", tags: ["$initial"] }] } } },
    chunkSizeWarningLimit: 600,
  },
  test: {
    environment: "happy-dom",
    // One whose clocks change.
    env: { TZ: "Europe/Rome" },
    include: ["test/**/*.test.{ts,tsx}"],
    setupFiles: ["test/setup.ts"],
    // Styles are left out of tests but for the colours, which one reads.
    css: { include: /tokens\.css/ },
  },
});
