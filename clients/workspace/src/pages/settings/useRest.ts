/** What an address of the server holds, read when it is first needed, and again when somebody wants it. */
import { useCallback, useEffect, useRef, useState } from "react";
import { useKeeper, useSnapshot } from "../../line/LineProvider";
import { ask, type RestFailure } from "./rest";

export interface Rest<T> {
  /** Undefined before it is there. */
  readonly value: T | undefined;
  /** Why it is not there; undefined while it is asked for. */
  readonly failure: RestFailure | undefined;
  again(): void;
  /** What holds from now on, when that is known without asking. */
  put(value: T): void;
}

export function useRest<T>(path: string): Rest<T> {
  const keeper = useKeeper();
  const [value, setValue] = useState<T>();
  const [failure, setFailure] = useState<RestFailure>();
  const [attempt, setAttempt] = useState(0);
  const put = useCallback((known: T) => {
    setValue(() => known);
    setFailure(undefined);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each attempt asks anew
  useEffect(() => {
    let isCurrent = true;
    ask<T>(keeper, "GET", path).then(
      (found) => isCurrent && put(found),
      (error: RestFailure) => isCurrent && setFailure(error),
    );
    return () => {
      isCurrent = false;
    };
  }, [keeper, path, attempt, put]);
  const again = useCallback(() => {
    setFailure(undefined);
    setAttempt((before) => before + 1);
  }, []);
  useReconnected(() => failure !== undefined && again());
  return { value, failure, again, put };
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
