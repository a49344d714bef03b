/** Corrects and forgets over REST what was remembered for an answer. */
import { ConnectionFailed, Forgotten } from "../errors.js";
import type { ItemKind, RememberedItem } from "../protocol/frames.js";
import { addressOn, fetchThere } from "./addresses.js";
import type { TokenProvider } from "./client.js";
import { isOfServer, refusalOf } from "./refusals.js";
import { authorized, type Fetch } from "./signing_in.js";

/** What names an item of a turn's `remembered`. */
export type MemoryName = Pick<RememberedItem, "id" | "kind">;

export interface MemoryEditor {
  /**
   * Puts `text` in its place; of a preference the value, its key stays. Throws `Forgotten` if there is nothing any
   * more, and `RequestRejected` if the server does not take the text.
   */
  correct(item: MemoryName, text: string): Promise<void>;
  /** Idempotent. What was found of an exchange is forgotten with it. */
  forget(item: MemoryName): Promise<void>;
}

/** For each kind of item the tier that it is in, and the field with its text. */
const TIERS: Readonly<Record<ItemKind, readonly [tier: string, field: string]>> = {
  preference: ["core", "value"],
  fact: ["associative", "content"],
  exchange: ["episodic", "summary"],
  habit: ["proactive", "pattern"],
};

/** Throws `AddressRefused`. */
export function memoryEditor({
  server,
  token,
  fetch = fetchThere,
}: {
  server: string;
  token: TokenProvider;
  fetch?: Fetch<string | undefined>;
}): MemoryEditor {
  const base = addressOn(server, "/api/v1/memory/").href;
  const asked = async (method: string, path: string, body?: object): Promise<unknown> => {
    const sent = body && JSON.stringify(body);
    const answer = await authorized(token, (access) => {
      const headers = { Authorization: `Bearer ${access}`, ...(sent && { "Content-Type": "application/json" }) };
      return fetch(base + path, { method, headers, body: sent }).catch(() => {
        throw new ConnectionFailed();
      });
    });
    const said: unknown = await answer.json().catch(() => null);
    if (answer.status === 404 && isOfServer(said)) {
      throw new Forgotten();
    }
    if (!answer.ok) {
      throw refusalOf(answer.status, said);
    }
    return said;
  };
  return {
    async correct({ id, kind }, text) {
      const [tier, field] = TIERS[kind];
      if (kind === "preference") {
        await asked("PUT", `core/${encodeURIComponent(keyOf(id, await asked("GET", "core")))}`, { [field]: text });
      } else {
        await asked("PATCH", `${tier}/${id}`, { [field]: text });
      }
    },
    async forget({ id, kind }) {
      await asked("DELETE", `${TIERS[kind][0]}/${id}`).catch((error: unknown) => {
        if (!(error instanceof Forgotten)) {
          throw error;
        }
      });
    },
  };
}

interface Preference {
  readonly id: string;
  readonly key: string;
}

/** The key of the preference with this id. `answer` is a list, which older servers send as a plain array. */
function keyOf(id: string, answer: unknown): string {
  if (typeof answer !== "object" || answer === null) {
    throw new ConnectionFailed("The server's answer cannot be read.");
  }
  const preferences = answer as readonly Preference[] | { readonly results: readonly Preference[] };
  const rows = "results" in preferences ? preferences.results : preferences;
  const found = rows.find((each) => each.id === id);
  if (found === undefined) {
    throw new Forgotten();
  }
  return found.key;
}
