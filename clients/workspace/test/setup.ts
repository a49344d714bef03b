import { cleanup, configure } from "@testing-library/react";
import { afterEach, vi } from "vitest";
import { applyLanguage } from "../src/i18n/language";

// Generous, as the machine may be busy.
configure({ asyncUtilTimeout: 15_000 });
vi.setConfig({ testTimeout: 30_000 });

Object.defineProperty(navigator, "languages", { configurable: true, value: ["en-GB"] });
await applyLanguage();

afterEach(() => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
});
