import { defineConfig } from "vitest/config";

/** A busy machine takes its time. */
const expect = { poll: { timeout: 20_000 } };

export default defineConfig({
  test: {
    // The machine is shared with the server under test.
    maxWorkers: 1,
    projects: [
      {
        test: {
          name: "unit",
          include: ["test/unit/**/*.test.ts", "test/unit/**/*.test.tsx"],
          testTimeout: 30_000,
          expect,
        },
      },
      {
        test: {
          name: "server",
          include: ["test/server/**/*.test.ts"],
          globalSetup: "test/server/setup.ts",
          testTimeout: 120_000,
          hookTimeout: 60_000,
          expect,
        },
      },
    ],
  },
});
