/** The line to the keeper, for every component below. */
import type { Change, RowOf } from "@adiuva/client/database";
import { createContext, type ReactNode, useContext, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { Line } from "./line";
import type { Filters, KeeperApi, KeeperEvent, Snapshot, TableName } from "./messages";

const LineContext = createContext<Line | null>(null);

export function LineProvider({ line, children }: { line: Line; children: ReactNode }) {
  return <LineContext value={line}>{children}</LineContext>;
}

export function useLine(): Line {
  const line = useContext(LineContext);
  if (line === null) {
    throw new Error("There is no LineProvider above.");
  }
  return line;
}

export function useKeeper(): KeeperApi {
  return useLine().keeper;
}

export function useSnapshot(): Snapshot {
  const line = useLine();
  return useSyncExternalStore(
    (changed) => line.onEvent((event) => event.type === "snapshot" && changed()),
    () => line.snapshot,
  );
}

/** As many as a list can sensibly show. */
const EVERYTHING = 100_000;

/** The rows as they are, again after each change to their table; null before they are there. */
export function useRows<T extends TableName>(
  table: T,
  filters: Filters = {},
  limit = EVERYTHING,
): readonly RowOf[T][] | null {
  const line = useLine();
  const [rows, setRows] = useState<readonly RowOf[T][] | null>(null);
  const asked = JSON.stringify(filters);
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const found = await line.keeper.select(table, JSON.parse(asked) as Filters, limit).catch(() => null);
      if (isCurrent && found !== null) {
        setRows(found);
      }
    };
    const stop = line.onEvent((event) => {
      if (concerns(event, (change) => change.table === table)) {
        void read();
      }
    });
    void read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [line, table, asked, limit]);
  return rows;
}

/** One row as it is; null when there is none, undefined before that is known. */
export function useRow<T extends TableName>(table: T, id: string): RowOf[T] | null | undefined {
  const line = useLine();
  const [found, setFound] = useState<{ id: string; row: RowOf[T] | null }>();
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const row = await line.keeper.get(table, id).catch(() => null);
      if (isCurrent) {
        setFound({ id, row });
      }
    };
    const stop = line.onEvent((event) => {
      if (concerns(event, (change) => change.table === table && change.id === id)) {
        void read();
      }
    });
    void read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [line, table, id]);
  return found?.id === id ? found.row : undefined;
}

function concerns(event: KeeperEvent, isMine: (change: Change) => boolean): boolean {
  return event.type === "renewed" || (event.type === "change" && event.changes.some(isMine));
}

/** Runs what the keeper is asked; `error` is what went wrong with the last. */
export function useTask(): { run: (act: () => Promise<unknown>) => Promise<boolean>; isBusy: boolean; error: string } {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState("");
  const isMounted = useRef(true);
  useEffect(() => {
    isMounted.current = true;
    return () => {
      isMounted.current = false;
    };
  }, []);
  const run = async (act: () => Promise<unknown>): Promise<boolean> => {
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
