/** The content of an address of the server, loaded when first needed and again on request. */
import { useCallback, useEffect, useRef, useState } from "react";
import { useSnapshot, useStore } from "../../rpc/RpcProvider";
import { ask, type Page, type RestFailure } from "./rest";

export interface Rest<T> {
  /** Undefined until it is loaded. */
  readonly value: T | undefined;
  /** Why it could not be loaded; undefined while it is loading. */
  readonly failure: RestFailure | undefined;
  again(): void;
  /** Sets the value if it is known without loading. */
  put(value: T): void;
  /** Changes the value as it is by then: several things may be done to a list at the same time. */
  change(edit: (value: T) => T): void;
}

export function useRest<T>(path: string): Rest<T> {
  const store = useStore();
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState<RestFailure>();
  const [attempt, setAttempt] = useState(0);
  const put = useCallback((known: T) => {
    setValue(() => known);
    setFailure(undefined);
  }, []);
  const change = useCallback((edit: (value: T) => T) => {
    setValue((before) => (before === undefined ? before : edit(before)));
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks anew
  useEffect(() => {
    let isCurrent = true;
    ask<T>(store, "GET", path).then(
      (found) => isCurrent && put(found),
      (error: RestFailure) => isCurrent && setFailure(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [store, path, attempt, put]);
  const again = useCallback(() => {
    setFailure(undefined);
    setAttempt((before) => before + 1);
  }, []);
  useReconnected(() => failure !== undefined && again());
  return { value, failure, again, put, change };
}

/** The rows of a list that the server sends in one page. */
export function useRestList<Row>(path: string): Rest<readonly Row[]> {
  const page = useRest<Page<Row>>(path);
  const { put, change } = page;
  const putRows = useCallback((results: readonly Row[]) => put({ results, next: null }), [put]);
  const changeRows = useCallback(
    (edit: (rows: readonly Row[]) => readonly Row[]) =>
      change(({ results }) => ({ results: edit(results), next: null })),
    [change],
  );
  return { ...page, value: page.value?.results, put: putRows, change: changeRows };
}

/** Calls `act` whenever a connection comes back. */
export function useReconnected(act: () => void): void {
  const isOnline = useSnapshot().connection.at === "online";
  const latest = useRef(act);
  const wasOnline = useRef(isOnline);
  useEffect(() => {
    latest.current = act;
  });
  useEffect(() => {
    if (isOnline && !wasOnline.current) {
      latest.current();
    }
    wasOnline.current = isOnline;
  }, [isOnline]);
}
