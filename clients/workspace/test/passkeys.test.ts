import { afterEach, expect, test, vi } from "vitest";
import { made } from "../src/parts/passkeys";

afterEach(() => vi.unstubAllGlobals());

/** A browser whose authenticator fails with this error. */
function failing(name: string): void {
  const create = () => Promise.reject(new DOMException("The browser’s own words.", name));
  vi.stubGlobal("navigator", { credentials: { create } });
  vi.stubGlobal("PublicKeyCredential", { parseCreationOptionsFromJSON: (options: unknown) => options });
}

test("a second passkey on the same device is refused in the user’s language", async () => {
  failing("InvalidStateError");
  await expect(made({})).rejects.toThrow("This device has a passkey of this account already.");
});

test("a user who cancels makes no passkey", async () => {
  failing("NotAllowedError");
  expect(await made({})).toBeNull();
});
