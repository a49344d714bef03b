/** The pictures of a user's notes and tasks: files in OPFS, named in their Markdown as `attachment:…`. */
import type { RowOf } from "@adiuva/client/database";
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";

const FOLDER = "adiuva-pictures";
/** The ending of each type's names. */
export const TYPES: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpg",
  "image/gif": "gif",
  "image/webp": "webp",
  "image/avif": "avif",
};
export const LARGEST_BYTES = 20 * 1024 * 1024;
const NAME = /^[0-9a-f-]{36}\.(png|jpg|gif|webp|avif)$/;
const NAMED = /attachment:([0-9a-f-]{36}\.(?:png|jpg|gif|webp|avif))/g;

export function isPictureName(name: string): boolean {
  return NAME.test(name);
}

/** The names of the pictures that notes and tasks show, each once. */
export function picturesIn({
  notes,
  tasks,
}: {
  readonly notes: readonly Pick<RowOf["notes"], "content">[];
  readonly tasks: readonly Pick<RowOf["tasks"], "description">[];
}): string[] {
  const texts = [...notes.map(({ content }) => content), ...tasks.map(({ description }) => description ?? "")];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(NAMED)].map(([, name]) => name as string)))];
}

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
  readonly #within: string;

  /** `within` is the folder of all users' folders. */
  constructor(userId: string, within = FOLDER) {
    this.#userId = userId;
    this.#within = within;
  }

  /** Returns its name. Throws `UserError`. */
  async save(picture: Blob): Promise<string> {
    const ending = TYPES[picture.type];
    if (ending === undefined) {
      throw new UserError(msg("Only PNG, JPEG, GIF, WebP and AVIF pictures can be added."));
    }
    if (picture.size > LARGEST_BYTES) {
      throw new UserError(msg("The picture has more than 20 MB."));
    }
    const name = `${crypto.randomUUID()}.${ending}`;
    await this.#write(name, picture);
    return name;
  }

  /** Stores a picture under the name that it has in a copy. False if there is one of this name: it is the same. */
  async put(name: string, picture: Blob): Promise<boolean> {
    if ((await this.read(name)) !== null) {
      return false;
    }
    await this.#write(name, picture);
    return true;
  }

  /** Null if there is none. */
  async read(name: string): Promise<Blob | null> {
    if (!isPictureName(name)) {
      return null;
    }
    try {
      return await (await (await this.#folder()).getFileHandle(name)).getFile();
    } catch {
      return null;
    }
  }

  async delete(name: string): Promise<void> {
    await (await this.#folder()).removeEntry(name);
  }

  /** Deletes the oldest until the others have `mostBytes` together at most. */
  async shrink(mostBytes: number): Promise<void> {
    const folder = await this.#folder();
    const files: File[] = [];
    for await (const handle of folder.values()) {
      if (handle.kind === "file") {
        files.push(await handle.getFile());
      }
    }
    let bytes = 0;
    for (const { name, size } of files.toSorted((one, other) => other.lastModified - one.lastModified)) {
      bytes += size;
      if (bytes > mostBytes) {
        await folder.removeEntry(name);
      }
    }
  }

  async deleteAll(): Promise<void> {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle(this.#within, { create: true });
    await all.removeEntry(this.#userId, { recursive: true }).catch(() => undefined);
  }

  async #write(name: string, picture: Blob): Promise<void> {
    const bytes = new Uint8Array(await picture.arrayBuffer());
    const folder = await this.#folder();
    const file = (await folder.getFileHandle(name, { create: true })) as SyncFile;
    const access = await file.createSyncAccessHandle();
    try {
      access.write(bytes);
      access.flush();
    } catch (error) {
      access.close();
      // Half a picture would be taken for the whole.
      await folder.removeEntry(name);
      throw error;
    }
    access.close();
  }

  async #folder(): Promise<FileSystemDirectoryHandle> {
    const root = await navigator.storage.getDirectory();
    const all = await root.getDirectoryHandle(this.#within, { create: true });
    return await all.getDirectoryHandle(this.#userId, { create: true });
  }
}

/** Stores all of them, and then does `work`; if that fails, those that are new are deleted again. */
export async function withPictures<T>(
  store: PictureStore,
  pictures: ReadonlyMap<string, Blob>,
  work: () => Promise<T>,
): Promise<T> {
  const added: string[] = [];
  try {
    for (const [name, picture] of pictures) {
      if (await store.put(name, picture)) {
        added.push(name);
      }
    }
    return await work();
  } catch (error) {
    await Promise.allSettled(added.map((name) => store.delete(name)));
    throw error;
  }
}

/** What copies and imports need of it. */
export type PictureStore = Pick<Pictures, "put" | "read" | "delete">;
