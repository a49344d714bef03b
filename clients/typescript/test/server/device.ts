/** A test device: a new account, in-memory data, and a socket that can be cut. */
import BetterSqlite from "better-sqlite3";
import { inject } from "vitest";
import { WebSocket } from "ws";
import { betterSqlite3, Database, DrizzleExecutor, Tables } from "../../src/database/index.js";
import {
  Account,
  AdiuvaClient,
  type ClientOptions,
  type DeviceWelcome,
  headerSockets,
  newUuid,
  type OpenSocket,
} from "../../src/index.js";

/** Sockets whose current connection can be cut like a cable: data in flight is lost. */
export class Cuttable {
  /** After how many frames of answers each connection is cut, in order. */
  readonly framesBeforeCuts: number[] = [];
  opened = 0;
  readonly #open = headerSockets(WebSocket);
  #cut: () => void = () => undefined;

  readonly open: OpenSocket = (address, token, listener) => {
    this.opened += 1;
    let isCut = false;
    let frames = 0;
    const socket = this.#open(address, token, {
      opened: () => listener.opened(),
      closed: (code) => isCut || listener.closed(code),
      received: (data) => {
        if (isCut) {
          return;
        }
        listener.received(data);
        frames += String(data).includes('"stream_') ? 1 : 0;
        if (frames > 0 && frames === this.framesBeforeCuts[0]) {
          this.framesBeforeCuts.shift();
          this.cut();
        }
      },
    });
    this.#cut = () => {
      isCut = true;
      socket.close();
      listener.closed(undefined);
    };
    return socket;
  };

  cut(): void {
    this.#cut();
  }
}

/** A promise and its resolver. */
export function promised<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((fulfil) => {
    resolve = fulfil;
  });
  return { promise, resolve };
}

export async function newAccount(): Promise<Account> {
  let refresh: string | null = null;
  const store = {
    load: async () => refresh,
    save: async (token: string | null) => {
      refresh = token;
    },
  };
  const account = new Account({ server: inject("server"), store });
  await account.register(`${newUuid()}@example.com`, "a password of the tests", { timezone: "Europe/Rome" });
  return account;
}

export interface Device {
  readonly account: Account;
  readonly client: AdiuvaClient;
  readonly tables: Tables;
  readonly executor: DrizzleExecutor;
  readonly wire: Cuttable;
  readonly welcome: DeviceWelcome;
}

export async function connected(
  options: Partial<ClientOptions> = {},
  {
    account,
    wrap = (executor) => executor,
  }: { account?: Account; wrap?: (executor: DrizzleExecutor) => ClientOptions["executor"] } = {},
): Promise<Device> {
  const owner = account ?? (await newAccount());
  const tables = new Tables(await Database.open(betterSqlite3(new BetterSqlite(":memory:"))));
  const executor = new DrizzleExecutor(tables);
  const wire = new Cuttable();
  const wrapped = wrap(executor);
  const client = new AdiuvaClient({
    server: inject("server"),
    sockets: wire.open,
    token: owner.token,
    device: { id: tables.database.deviceId, platform: "vitest", timezone: "Europe/Rome", language: "en" },
    ...(wrapped === undefined ? {} : { executor: wrapped }),
    backoff: { firstMs: 50, mostMs: 200 },
    ...options,
  });
  client.start();
  return { account: owner, client, tables, executor, wire, welcome: await client.online() };
}
