/** WebAuthn with the server's JSON. */
import { t } from "../i18n/translate";

/** Browsers bind a passkey to a name, so there are none at an address such as 127.0.0.1. */
export function canUsePasskeys(host = location.hostname): boolean {
  const isName = !/^[\d.]+$|:/.test(host);
  return isName && typeof PublicKeyCredential !== "undefined" && "parseRequestOptionsFromJSON" in PublicKeyCredential;
}

/** A passkey's answer to the server's options; null if the user cancels. */
export async function answered(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON);
  return shown(await unlessCancelled(navigator.credentials.get({ publicKey })));
}

/** A new passkey; null if the user cancels. */
export async function made(options: unknown): Promise<unknown> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON);
  return shown(await unlessCancelled(navigator.credentials.create({ publicKey })));
}

function shown(credential: Credential | null): unknown {
  return credential === null ? null : (credential as PublicKeyCredential).toJSON();
}

async function unlessCancelled(asking: Promise<Credential | null>): Promise<Credential | null> {
  return await asking.catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "NotAllowedError") {
      return null;
    }
    if (error instanceof DOMException && error.name === "InvalidStateError") {
      throw new Error(t("This device has a passkey of this account already."));
    }
    throw error;
  });
}
