/** The worker of a tab. Of all tabs one keeps the data and the socket; when it is closed another one takes over. */
import { KEEPER_LOCK, type KeeperApi, NOTHING, type Snapshot } from "../line/messages";
import { Exchange } from "./exchange";
import { IdentityStore } from "./identity";
import { Keeper } from "./keeper";
import { assertStorage, openDatabase } from "./storage";

void navigator.locks.request(KEEPER_LOCK, async () => {
  const exchange = new Exchange();
  try {
    await assertStorage();
    const keeper = new Keeper({
      server: self.location.origin,
      store: await IdentityStore.open(),
      openDatabase,
      tell: (event) => exchange.tell(event),
    });
    await keeper.start();
    exchange.serve(keeper);
    self.addEventListener("online", () => void keeper.wake());
  } catch (error) {
    // A browser without the storage, or one that refuses it, as in some private windows.
    fail(exchange, error);
  }
  // Until the tab is closed.
  await new Promise(() => undefined);
});

function fail(exchange: Exchange, error: unknown): void {
  const why = error instanceof Error ? error.message : String(error);
  const snapshot: Snapshot = { ...NOTHING, account: { at: "failed", why } };
  const refuse = async (): Promise<never> => {
    throw new Error(why);
  };
  const api = new Proxy({} as KeeperApi, {
    get: (_target, name) => (name === "snapshot" ? async () => snapshot : refuse),
  });
  exchange.serve(api);
}
