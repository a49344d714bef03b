/** Gives images to the server, for requests that name them in `images`. */
import { ConnectionFailed, RequestRejected } from "../errors.js";
import { addressOn, fetchThere } from "./addresses.js";
import type { TokenProvider } from "./client.js";
import { refusalOf } from "./refusals.js";
import { authorized, type Fetch } from "./signing_in.js";

/** The server's limits for one image, and for one request. */
export const IMAGE_LIMITS = { bytes: 5 * 1024 * 1024, images: 4 } as const;

export type ImageType = "image/png" | "image/jpeg" | "image/webp";

/** An image as the server keeps it: upright, without metadata, at most 2,048 pixels wide and high. */
export interface UploadedImage {
  /** Name it in `images` of a request. */
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** Throws `RequestRejected` for a file that is no such image or too large, and other errors if trying again may help. */
export type UploadImage = (image: Blob) => Promise<UploadedImage>;

/** Uploads with the user's token. The type of the blob says what it is. */
export function imageUploader({
  server,
  token,
  fetch = fetchThere,
}: {
  server: string;
  token: TokenProvider;
  fetch?: Fetch<Blob>;
}): UploadImage {
  const address = addressOn(server, "/api/v1/images").href;
  const post = async (image: Blob, access: string) => {
    const headers = { Authorization: `Bearer ${access}`, "Content-Type": image.type };
    return await fetch(address, { method: "POST", headers, body: image }).catch(() => {
      throw new ConnectionFailed();
    });
  };
  return async (image) => {
    if (image.size > IMAGE_LIMITS.bytes) {
      throw new RequestRejected("The image is larger than 5 MB.", "too_large");
    }
    const answer = await authorized(token, (access) => post(image, access));
    const said: unknown = await answer.json().catch(() => null);
    if (!answer.ok) {
      throw refusalOf(answer.status, said);
    }
    return uploadedIn(said);
  };
}

function uploadedIn(said: unknown): UploadedImage {
  const { id, width, height, expires_at } = (said ?? {}) as Record<string, unknown>;
  const expiresAt = Date.parse(String(expires_at));
  if (typeof id !== "string" || typeof width !== "number" || typeof height !== "number" || Number.isNaN(expiresAt)) {
    throw new ConnectionFailed("The server's answer cannot be read.");
  }
  return { id, width, height, expiresAt };
}
