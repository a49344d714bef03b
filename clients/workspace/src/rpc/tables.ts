/** All rows of a table, kept for every component of the page and changed as the rows change. */
import type { Change, RowOf } from "@adiuva/client/database";
import { useSyncExternalStore } from "react";
import type { RpcClient } from "./client";
import type { Filters, Snapshot, StoreEvent, TableName } from "./messages";
import { useRpc } from "./RpcProvider";

/** More rows than any list shows. */
const EVERYTHING = 100_000;
/** If more rows changed at once, all are read again. */
const FEW = 20;

class KeptTable<T extends TableName> {
  readonly #rpc: RpcClient;
  readonly #table: T;
  readonly #listeners = new Set<() => void>();
  #rows: readonly RowOf[T][] | null = null;
  #account: string;
  /** Counts what needs a read of everything: single rows that were read before it do not count. */
  #read = 0;
  #isReading = false;
  #isDue = false;
  #last: Promise<void> = Promise.resolve();

  constructor(rpc: RpcClient, table: T) {
    this.#rpc = rpc;
    this.#table = table;
    this.#account = accountOf(rpc.snapshot);
    rpc.onEvent((event) => this.#hear(event));
    this.#readAll();
  }

  readonly rows = (): readonly RowOf[T][] | null => this.#rows;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #hear(event: StoreEvent): void {
    if (event.type === "snapshot") {
      this.#meet(accountOf(event.snapshot));
    } else if (event.type === "renewed") {
      this.#readAll();
    } else if (event.type === "change") {
      const mine = event.changes.filter(({ table }) => table === this.#table);
      if (mine.length > FEW) {
        this.#readAll();
      } else if (mine.length > 0) {
        // In order: what is read later is newer.
        const read = this.#read;
        this.#last = this.#last.then(() => this.#readSome(mine, read));
      }
    }
  }

  /** Another account has other rows. */
  #meet(account: string): void {
    if (account !== this.#account) {
      this.#account = account;
      this.#become(null);
      this.#readAll();
    }
  }

  /** Reads everything. What changes meanwhile is read once more, however often it changes. */
  #readAll(): void {
    this.#read += 1;
    this.#isDue = true;
    if (!this.#isReading) {
      this.#last = this.#readWhileDue();
    }
  }

  async #readWhileDue(): Promise<void> {
    const filters: Filters = this.#table === "projects" ? { includeArchived: true } : {};
    this.#isReading = true;
    while (this.#isDue) {
      this.#isDue = false;
      const account = this.#account;
      const rows = await this.#rpc.store.select(this.#table, filters, EVERYTHING).catch(() => null);
      if (rows !== null && account === this.#account) {
        this.#become(rows);
      }
    }
    this.#isReading = false;
  }

  async #readSome(changes: readonly Change[], read: number): Promise<void> {
    const ids = [...new Set(changes.map(({ id }) => id))];
    const found = await Promise.all(ids.map((id) => this.#rpc.store.get(this.#table, id).catch(() => null)));
    if (read !== this.#read || this.#rows === null) {
      return;
    }
    const now = new Map(ids.map((id, index) => [id, found[index] ?? null]));
    const rows = this.#rows.flatMap((row) => {
      const changed = now.get(row.id);
      now.delete(row.id);
      return changed === undefined ? [row] : changed === null ? [] : [changed];
    });
    this.#become([...rows, ...[...now.values()].filter((row) => row !== null)]);
  }

  #become(rows: readonly RowOf[T][] | null): void {
    this.#rows = rows;
    for (const listener of [...this.#listeners]) {
      listener();
    }
  }
}

function accountOf({ account }: Snapshot): string {
  return account.at === "signed-in" ? account.email : "";
}

const kept = new WeakMap<RpcClient, Partial<Record<TableName, unknown>>>();

function tableOf<T extends TableName>(rpc: RpcClient, table: T): KeptTable<T> {
  const tables = kept.get(rpc) ?? {};
  kept.set(rpc, tables);
  tables[table] ??= new KeptTable(rpc, table);
  return tables[table] as KeptTable<T>;
}

/** Loads tables before a page needs them. */
export function loadTables(rpc: RpcClient, tables: readonly TableName[]): void {
  for (const table of tables) {
    tableOf(rpc, table);
  }
}

/** The current rows of a table, archived projects too, in the order in which they were made; null until loaded. */
export function useTable<T extends TableName>(table: T): readonly RowOf[T][] | null {
  const { rows, subscribe } = tableOf(useRpc(), table);
  return useSyncExternalStore(subscribe, rows);
}
