/** Zip files, with limits on what they may hold. */
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";

export interface PathFile {
  /** With `/` between its folders. */
  readonly path: string;
  readonly content: Blob;
}

/** Far more than any user's notes and pictures; a small file may claim to hold far more. */
const MOST_BYTES = 512 * 1024 * 1024;
const COMPRESSIBLE = /\.(csv|ics|json|md)$/;

export async function packed(files: readonly PathFile[]): Promise<Blob> {
  const { Zip, ZipDeflate, ZipPassThrough } = await import("fflate");
  const parts: Blob[] = [];
  const zip = new Zip((error, chunk) => {
    if (error !== null) {
      throw error;
    }
    parts.push(new Blob([chunk as Uint8Array<ArrayBuffer>]));
  });
  for (const { path, content } of files) {
    const entry = COMPRESSIBLE.test(path) ? new ZipDeflate(path) : new ZipPassThrough(path);
    zip.add(entry);
    entry.push(new Uint8Array(await content.arrayBuffer()), true);
  }
  zip.end();
  return new Blob(parts, { type: "application/zip" });
}

export async function isZip(file: Blob): Promise<boolean> {
  return (await file.slice(0, 4).text()) === "PK\u0003\u0004";
}

/** The files in a zip file, without its folders. Throws `UserError`. */
export async function unpacked(file: Blob): Promise<PathFile[]> {
  if (file.size > MOST_BYTES) {
    throw tooLarge();
  }
  const { unzipSync } = await import("fflate");
  let bytes = 0;
  const isWanted = ({ name, originalSize }: { name: string; originalSize: number }) => {
    bytes += originalSize;
    if (bytes > MOST_BYTES) {
      throw tooLarge();
    }
    return !name.endsWith("/");
  };
  try {
    const found = unzipSync(new Uint8Array(await file.arrayBuffer()), { filter: isWanted });
    return Object.entries(found).map(([name, content]) => ({
      path: pathOf(name),
      content: new Blob([content as Uint8Array<ArrayBuffer>]),
    }));
  } catch (cause) {
    throw cause instanceof UserError
      ? cause
      : new UserError(msg("This zip file is damaged, or protected by a password."), {}, { cause });
  }
}

function tooLarge(): UserError {
  return new UserError(msg("This file holds more than 512 MB."));
}

/** Some programs write UTF-8 without saying so: then it was read as Latin-1. */
function pathOf(name: string): string {
  const path = name.replaceAll("\\", "/");
  const codes = Array.from(path, (character) => character.codePointAt(0) ?? 0);
  if (codes.every((code) => code < 0x80) || codes.some((code) => code > 0xff)) {
    return path.normalize("NFC");
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(Uint8Array.from(codes)).normalize("NFC");
  } catch {
    return path.normalize("NFC");
  }
}
