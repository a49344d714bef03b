/** Run by `npm publish`: refuses a package that does not say where its sources are and under which licence. */
import { readFileSync } from "node:fs";

const { repository, license } = JSON.parse(readFileSync("package.json", "utf8"));
const missing = [];
const url = typeof repository === "string" ? repository : repository?.url;
// `.example` is reserved (RFC 2606): there is no public address yet.
if (!url || /^[a-z+]+:\/\/[^/]*\.example(?:[:/]|$)/i.test(url)) {
  missing.push("Set `repository` to the public address of the sources.");
}
if (!license || license === "UNLICENSED") {
  missing.push("Set `license` to the one that its authors have granted, with its text in LICENSE.");
}
if (missing.length > 0) {
  console.error(["This package cannot be published yet. In package.json:", ...missing].join("\n- "));
  process.exit(1);
}
