/** The addresses of workers, as Trusted Types demand them. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (address: string) => string },
  ): {
    createScriptURL(address: string): string;
  };
}

const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };

/** Scripts of this page's own folder alone. */
const policy = trustedTypes?.createPolicy("adiuva-worker", {
  createScriptURL: (address) => {
    const { origin, pathname } = new URL(address, location.href);
    if (origin !== location.origin || !pathname.startsWith(import.meta.env.BASE_URL)) {
      throw new TypeError(`${address} is no script of the workspace.`);
    }
    return address;
  },
});

export function trusted(address: string): string {
  return policy?.createScriptURL(address) ?? address;
}
