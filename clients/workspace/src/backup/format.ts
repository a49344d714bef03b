/**
 * An encrypted backup: a line of JSON that says how to decrypt it, and the encrypted copy.
 *
 * The key is derived from the passphrase by PBKDF2 with SHA-256 and 600,000 iterations, as OWASP's Password Storage
 * Cheat Sheet asks. The copy is compressed and encrypted by AES-256-GCM, which also authenticates the first line.
 */
import { t } from "../i18n/translate";

export const ITERATIONS = 600_000;
const VERSION = 1;
const FORMAT = "adiuva-backup";
/** A file may ask for more work than that of this version, but not for hours. */
const MOST_ITERATIONS = 10_000_000;
/** The first line is far shorter. */
const LONGEST_HEADER = 4096;

export interface BackupKey {
  readonly key: CryptoKey;
  readonly salt: Uint8Array<ArrayBuffer>;
  readonly iterations: number;
}

interface Header {
  readonly format: typeof FORMAT;
  readonly version: number;
  readonly kdf: { readonly name: "PBKDF2-SHA-256"; readonly iterations: number; readonly salt: string };
  readonly cipher: { readonly name: "AES-256-GCM"; readonly iv: string };
  readonly compression: "gzip";
  /** Of what is encrypted: tells a damaged file from a wrong passphrase. */
  readonly sha256: string;
}

/** Why a file is no backup that can be read: a sentence for the user. */
export class BackupRefused extends Error {}

export async function newKey(passphrase: string, iterations = ITERATIONS): Promise<BackupKey> {
  const salt = crypto.getRandomValues(new Uint8Array(16));
  return { key: await derived(passphrase, salt, iterations), salt, iterations };
}

/** The key alone can be kept: it cannot be exported, and the passphrase cannot be found from it. */
export async function seal(copy: Blob, { key, salt, iterations }: BackupKey): Promise<Blob> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const compressed = await new Response(copy.stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer();
  const about = {
    format: FORMAT,
    version: VERSION,
    kdf: { name: "PBKDF2-SHA-256", iterations, salt: encoded(salt) },
    cipher: { name: "AES-256-GCM", iv: encoded(iv) },
    compression: "gzip",
  } as const;
  const sealed = await crypto.subtle.encrypt(cipherOf(iv, about), key, compressed);
  const header: Header = { ...about, sha256: await digestOf(sealed) };
  return new Blob([`${JSON.stringify(header)}\n`, sealed], { type: "application/octet-stream" });
}

export async function isBackup(file: Blob): Promise<boolean> {
  return (await file.slice(0, LONGEST_HEADER).text()).startsWith(`{"format":"${FORMAT}"`);
}

/** The copy in a backup. Throws `BackupRefused`. */
export async function unseal(file: Blob, passphrase: string): Promise<Blob> {
  const { header, sealed } = await parted(file);
  if ((await digestOf(sealed)) !== header.sha256) {
    throw new BackupRefused(t("This backup is damaged. Try an older one."));
  }
  const { sha256: _, ...about } = header;
  const key = await derived(passphrase, decoded(header.kdf.salt), header.kdf.iterations);
  const compressed = await crypto.subtle
    .decrypt(cipherOf(decoded(header.cipher.iv), about), key, sealed)
    .catch((cause: unknown) => {
      throw new BackupRefused(t("This is not the passphrase of this backup."), { cause });
    });
  return await new Response(new Blob([compressed]).stream().pipeThrough(new DecompressionStream("gzip"))).blob();
}

async function parted(file: Blob): Promise<{ header: Header; sealed: ArrayBuffer }> {
  const [line = ""] = (await file.slice(0, LONGEST_HEADER).text()).split("\n", 1);
  const header = parsed(line);
  if (header?.format !== FORMAT) {
    throw new BackupRefused(t("This file is not a backup of Adiuva."));
  }
  if (header.version !== VERSION) {
    throw new BackupRefused(t("This backup was made by a newer version of Adiuva. Load the page again."));
  }
  if (!(header.kdf?.iterations > 0 && header.kdf.iterations <= MOST_ITERATIONS) || header.cipher === undefined) {
    throw new BackupRefused(t("This backup is damaged. Try an older one."));
  }
  return { header, sealed: await file.slice(new TextEncoder().encode(line).length + 1).arrayBuffer() };
}

function parsed(line: string): Header | null {
  try {
    return JSON.parse(line) as Header;
  } catch {
    return null;
  }
}

async function derived(passphrase: string, salt: Uint8Array<ArrayBuffer>, iterations: number): Promise<CryptoKey> {
  // Keyboards write the same letters in different ways.
  const bytes = new TextEncoder().encode(passphrase.normalize("NFKC"));
  const material = await crypto.subtle.importKey("raw", bytes, "PBKDF2", false, ["deriveKey"]);
  const how = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return await crypto.subtle.deriveKey(how, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

function cipherOf(iv: Uint8Array<ArrayBuffer>, about: Omit<Header, "sha256">): AesGcmParams {
  return { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify(about)) };
}

async function digestOf(bytes: ArrayBuffer): Promise<string> {
  return encoded(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function encoded(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}
