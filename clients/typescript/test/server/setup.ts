/** The real server for these tests: its own folder, database and port, the offline assistant, stopped at the end. */
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    server: string;
  }
}

const ROOT = path.resolve(import.meta.dirname, "../../../..");
const READY = "Adiuva is ready at ";
const OTHERS = /^(OPENAI_|REDIS_|AMQP_|LANGFUSE_)/;

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(path.join(tmpdir(), "adiuva-typescript-"));
  // The embedded database may run as another system user, who must be able to enter the folder.
  chmodSync(folder, 0o755);
  const server = spawn(python(), ["-m", "adiuva.serve", "--port", "0"], {
    cwd: ROOT,
    env: environment(path.join(folder, "var")),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = once(server, "exit");
  project.provide("server", await ready(server));
  return async () => {
    server.kill("SIGTERM");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
}

function python(): string {
  return process.env.ADIUVA_PYTHON ?? path.join(ROOT, ".venv/bin/python");
}

function environment(dataDir: string): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !OTHERS.test(name));
  return { ...Object.fromEntries(own), ADIUVA_DEBUG: "1", ADIUVA_DATA_DIR: dataDir, ADIUVA_REGISTER_RATE: "1000/s" };
}

/** The server's address, once it is ready. */
async function ready(server: ChildProcessByStdio<null, Readable, Readable>): Promise<string> {
  const said: string[] = [];
  createInterface(server.stderr).on("line", (line) => said.push(line));
  for await (const line of createInterface(server.stdout)) {
    if (line.startsWith(READY)) {
      server.stdout.resume();
      return line.slice(READY.length);
    }
    said.push(line);
  }
  throw new Error(["The server ended:", ...said].join("\n"));
}
