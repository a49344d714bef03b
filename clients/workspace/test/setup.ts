import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// A busy machine takes its time.
configure({ asyncUtilTimeout: 15_000 });
vi.setConfig({ testTimeout: 30_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
