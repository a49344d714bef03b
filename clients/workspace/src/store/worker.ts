/** A tab's worker. One tab holds the data and the socket for all; when it is closed, another one takes over. */
import { sentError } from "../rpc/errors";
import { NOTHING, type Snapshot, STORE_LOCK, type StoreApi } from "../rpc/messages";
import { RpcServer } from "../rpc/server";
import { IdentityStore } from "./identity";
import { assertStorage, openDatabase } from "./storage";
import { Store } from "./store";

void navigator.locks.request(STORE_LOCK, async () => {
  const server = new RpcServer();
  try {
    await assertStorage();
    const store = new Store({
      server: self.location.origin,
      identities: await IdentityStore.open(),
      openDatabase,
      tell: (event) => server.tell(event),
    });
    await store.start();
    server.serve(store);
  } catch (error) {
    // The browser has no storage or refuses it, as in some private windows.
    fail(server, error);
  }
  // Until the tab is closed.
  await new Promise(() => undefined);
});

function fail(server: RpcServer, error: unknown): void {
  const why = sentError(error).message;
  const snapshot: Snapshot = { ...NOTHING, account: { at: "failed", why } };
  const refuse = async (): Promise<never> => {
    throw new Error(why);
  };
  const api = new Proxy({} as StoreApi, {
    get: (_target, name) => (name === "snapshot" ? async () => snapshot : refuse),
  });
  server.serve(api);
}
