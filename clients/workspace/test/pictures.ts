/** Pictures of notes, in memory instead of OPFS. */
import { newUuid } from "@adiuva/client";
import type { PictureStore } from "../src/store/pictures";

export interface KeptPictures extends PictureStore {
  readonly files: Map<string, Blob>;
  /** Returns the name. */
  add(text: string): Promise<string>;
  /** Null if there is none. */
  text(name: string): Promise<string | null>;
}

export function keptPictures(): KeptPictures {
  const files = new Map<string, Blob>();
  return {
    files,
    put: async (name, picture) => {
      const isNew = !files.has(name);
      files.set(name, picture);
      return isNew;
    },
    read: async (name) => files.get(name) ?? null,
    delete: async (name) => void files.delete(name),
    add: async (text) => {
      const name = `${newUuid()}.png`;
      files.set(name, new Blob([text], { type: "image/png" }));
      return name;
    },
    text: async (name) => (await files.get(name)?.text()) ?? null,
  };
}
