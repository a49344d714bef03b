/** The pictures of a user's notes: files in OPFS, named in the notes' Markdown as `attachment:…`. */
import { msg } from "../i18n/msg";

const FOLDER = "adiuva-pictures";
const TYPES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
};
const LARGEST_BYTES = 20 * 1024 * 1024;
const NAME = /^[0-9a-f-]{36}\.(png|jpg|gif|webp|avif)$/;

/** The types for pages lack what only workers may call. */
type SyncFile = FileSystemFileHandle & {
  createSyncAccessHandle(): Promise<{
    write(bytes: Uint8Array): number;
    truncate(size: number): void;
    flush(): void;
    close(): void;
  }>;
};

export class Pictures {
  readonly #userId: string;

  constructor(userId: string) {
    this.#userId = userId;
  }

  /** Returns its name. Throws an error with a sentence for the user. */
  async save(picture: Blob): Promise<string> {
    const ending = TYPES[picture.type];
    if (ending === undefined) {
      throw new Error(msg("Only PNG, JPEG, GIF, WebP and AVIF pictures can be added."));
    }
    if (picture.size > LARGEST_BYTES) {
      throw new Error(msg("The picture has more than 20 MB."));
    }
    const name = `${crypto.randomUUID()}.${ending}`;
    const file = (await (await this.#folder()).getFileHandle(name, { create: true })) as SyncFile;
    const access = await file.createSyncAccessHandle();
    try {
      access.write(new Uint8Array(await picture.arrayBuffer()));
      access.flush();
    } finally {
      access.close();
    }
    return name;
  }

  /** Null if there is none. */
  async read(name: string): Promise<Blob | null> {
    if (!NAME.test(name)) {
      return null;
    }
    try {
      return await (await (await this.#folder()).getFileHandle(name)).getFile();
    } catch {
      return null;
    }
  }

  async deleteAll(): Promise<void> {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle(FOLDER, { create: true });
    await all.removeEntry(this.#userId, { recursive: true }).catch(() => undefined);
  }

  async #folder(): Promise<FileSystemDirectoryHandle> {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle(FOLDER, { create: true });
    return await all.getDirectoryHandle(this.#userId, { create: true });
  }
}
