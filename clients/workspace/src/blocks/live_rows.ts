/** Rows of an answer as they are now: read again from this device whenever they change. */
import type { RowOf } from "@adiuva/client/database";
import { useEffect, useState } from "react";
import type { TableName } from "../rpc/messages";
import { useRpc } from "../rpc/RpcProvider";

/** A row; null if it is gone. */
export type LiveRows<T extends TableName> = ReadonlyMap<string, RowOf[T] | null>;

/** Without those that have not been read yet. */
export function useLiveRows<T extends TableName>(table: T, ids: readonly string[]): LiveRows<T> {
  const rpc = useRpc();
  const [rows, setRows] = useState<LiveRows<T>>(new Map());
  const key = JSON.stringify(ids);
  useEffect(() => {
    let isCurrent = true;
    const mine = JSON.parse(key) as string[];
    const read = async (those: readonly string[]) => {
      const found = await Promise.all(those.map(async (id) => [id, await rpc.store.get(table, id)] as const)).catch(
        () => [],
      );
      if (isCurrent && found.length > 0) {
        setRows((before) => new Map([...before, ...found]));
      }
    };
    const stop = rpc.onEvent((event) => {
      if (event.type === "renewed") {
        void read(mine);
      } else if (event.type === "change") {
        const changed = new Set(event.changes.filter((each) => each.table === table).map(({ id }) => id));
        void read(mine.filter((id) => changed.has(id)));
      }
    });
    void read(mine);
    return () => {
      isCurrent = false;
      stop();
    };
  }, [rpc, table, key]);
  return rows;
}
