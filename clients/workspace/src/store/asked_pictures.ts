/** The pictures that went along with questions: the server soon deletes its own, and a question can be asked again. */
import type { UploadImage } from "@adiuva/client";
import type { AskedPicture } from "../chat/parts";
import { msg } from "../i18n/msg";
import { UserError } from "../rpc/errors";
import type { Picture } from "../rpc/messages";
import { type Pictures, TYPES } from "./pictures";

/** Of all of a user's questions together: the oldest pictures are deleted first. */
const MOST_BYTES = 100 * 1024 * 1024;

type Copies = Pick<Pictures, "put" | "read" | "delete" | "shrink" | "deleteAll">;

export class AskedPictures {
  readonly #copies: Copies;
  readonly #upload: UploadImage;
  /** Those that may go along with the next question, by the server's ids. */
  readonly #given = new Map<string, Blob>();

  constructor(copies: Copies, upload: UploadImage) {
    this.#copies = copies;
    this.#upload = upload;
  }

  /** Gives a picture to the server, and returns its id there. */
  async give(picture: Blob): Promise<string> {
    const { id } = await this.#upload(picture);
    this.#given.set(id, picture);
    return id;
  }

  /** They go along with a question: from now on there are copies of them, as long as there is room. */
  async keep(pictures: readonly Picture[]): Promise<void> {
    for (const { id } of pictures) {
      const picture = this.#given.get(id);
      this.#given.delete(id);
      const ending = TYPES[picture?.type ?? ""];
      if (picture !== undefined && ending !== undefined) {
        // On a full disk the question is asked all the same, and cannot be asked again.
        await this.#copies.put(`${id}.${ending}`, picture).catch(() => undefined);
      }
    }
    if (pictures.length > 0) {
      await this.#copies.shrink(MOST_BYTES);
    }
  }

  /** Gives the server those that went along before. Throws `UserError` if one is not kept. */
  async giveAgain(pictures: readonly AskedPicture[]): Promise<Picture[]> {
    const copies = await Promise.all(pictures.map(({ id }) => this.#read(id)));
    const given: Picture[] = [];
    for (const [index, { name }] of pictures.entries()) {
      const copy = copies[index];
      if (!copy) {
        throw new UserError(msg("The picture {name} is not kept any more: ask a new question with it."), { name });
      }
      given.push({ id: await this.give(copy), name });
    }
    return given;
  }

  async forget(pictures: readonly AskedPicture[]): Promise<void> {
    for (const { id } of pictures) {
      await Promise.allSettled(Object.values(TYPES).map((ending) => this.#copies.delete(`${id}.${ending}`)));
    }
  }

  async deleteAll(): Promise<void> {
    await this.#copies.deleteAll();
  }

  async #read(id: string): Promise<Blob | null> {
    for (const [type, ending] of Object.entries(TYPES)) {
      const copy = await this.#copies.read(`${id}.${ending}`);
      if (copy !== null) {
        return new Blob([copy], { type });
      }
    }
    return null;
  }
}

/** What conversations need of it. */
export type PictureCopies = Pick<AskedPictures, "keep" | "giveAgain" | "forget">;
