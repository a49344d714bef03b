import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    // The machine is shared with the server under test.
    maxWorkers: 1,
    projects: [
      { test: { name: "unit", include: ["test/unit/**/*.test.ts"] } },
      {
        test: {
          name: "server",
          include: ["test/server/**/*.test.ts"],
          globalSetup: "test/server/setup.ts",
          testTimeout: 60_000,
        },
      },
    ],
  },
});
