/** Makes `dist`: ES modules, and CommonJS with types of its own in `dist/cjs`. */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

const PACKAGE = path.resolve(import.meta.dirname, "..");
const DIST = path.join(PACKAGE, "dist");

rmSync(DIST, { recursive: true, force: true });
for (const config of ["tsconfig.build.json", "tsconfig.cjs.json"]) {
  execFileSync(process.execPath, [path.join(PACKAGE, "node_modules/typescript/bin/tsc"), "--project", config], {
    cwd: PACKAGE,
    stdio: "inherit",
  });
}
mkdirSync(path.join(DIST, "cjs"), { recursive: true });
writeFileSync(path.join(DIST, "cjs/package.json"), '{ "type": "commonjs" }\n');
