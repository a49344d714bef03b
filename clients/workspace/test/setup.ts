import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";

// Generous, as the machine may be busy.
configure({ asyncUtilTimeout: 15_000 });
vi.setConfig({ testTimeout: 30_000 });

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
