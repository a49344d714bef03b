/** Gives every component below access to the store. */
import type { Change, RowOf } from "@adiuva/client/database";
import { createContext, type ReactNode, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { useFocusBack } from "../parts/useFocusInside";
import { useIsMounted } from "../parts/useIsMounted";
import type { RpcClient } from "./client";
import type { Filters, Snapshot, StoreApi, StoreEvent, TableName } from "./messages";

const RpcContext = createContext<RpcClient | null>(null);

export function RpcProvider({ rpc, children }: { rpc: RpcClient; children: ReactNode }) {
  return <RpcContext value={rpc}>{children}</RpcContext>;
}

export function useRpc(): RpcClient {
  const rpc = useContext(RpcContext);
  if (rpc === null) {
    throw new Error("There is no RpcProvider above.");
  }
  return rpc;
}

export function useStore(): StoreApi {
  return useRpc().store;
}

export function useSnapshot(): Snapshot {
  const rpc = useRpc();
  return useSyncExternalStore(
    (changed) => rpc.onEvent((event) => event.type === "snapshot" && changed()),
    () => rpc.snapshot,
  );
}

/** More rows than any list shows. */
const EVERYTHING = 100_000;

/** The current rows, updated after each change to their table; null until they are loaded. */
export function useRows<T extends TableName>(
  table: T,
  filters: Filters = {},
  limit = EVERYTHING,
): readonly RowOf[T][] | null {
  const rpc = useRpc();
  const [rows, setRows] = useState<readonly RowOf[T][] | null>(null);
  const asked = JSON.stringify(filters);
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const found = await rpc.store.select(table, JSON.parse(asked) as Filters, limit).catch(() => null);
      if (isCurrent && found !== null) {
        setRows(found);
      }
    };
    const stop = rpc.onEvent((event) => {
      if (concerns(event, (change) => change.table === table)) {
        void read();
      }
    });
    void read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [rpc, table, asked, limit]);
  return rows;
}

/** The current row; null if there is none, undefined until that is known. */
export function useRow<T extends TableName>(table: T, id: string): RowOf[T] | null | undefined {
  const rpc = useRpc();
  const [found, setFound] = useState<{ id: string; row: RowOf[T] | null }>();
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const row = await rpc.store.get(table, id).catch(() => null);
      if (isCurrent) {
        setFound({ id, row });
      }
    };
    const stop = rpc.onEvent((event) => {
      if (concerns(event, (change) => change.table === table && change.id === id)) {
        void read();
      }
    });
    void read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [rpc, table, id]);
  return found?.id === id ? found.row : undefined;
}

function concerns(event: StoreEvent, isMine: (change: Change) => boolean): boolean {
  return event.type === "renewed" || (event.type === "change" && event.changes.some(isMine));
}

/** Runs calls to the store; `error` is the message of the last one if it failed. */
export function useTask(): { run: (act: () => Promise<unknown>) => Promise<boolean>; isBusy: boolean; error: string } {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const isMounted = useIsMounted();
  const noteFocus = useFocusBack(isBusy);
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
    noteFocus();
    setBusy(true);
    setError("");
    try {
      await act();
      return true;
    } catch (problem) {
      if (isMounted.current) {
        setError(problem instanceof Error ? problem.message : String(problem));
      }
      return false;
    } finally {
      if (isMounted.current) {
        setBusy(false);
      }
    }
  };
  return { run, isBusy, error };
}
