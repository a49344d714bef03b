/** A long list of the server, loaded page by page. */
import { useEffect, useState } from "react";
import { useStore } from "../../rpc/RpcProvider";
import { ask, type Page, type RestFailure } from "./rest";
import { useReconnected } from "./useRest";

interface Identified {
  readonly id: string;
}

export interface Pages<Row> {
  /** Undefined until the first page is loaded. */
  readonly rows: readonly Row[] | undefined;
  readonly hasMore: boolean;
  readonly isBusy: boolean;
  readonly failure: RestFailure | undefined;
  /** Loads the next page, or the same again after a failure. */
  more(): void;
  /** Removes a deleted row. */
  drop(id: string): void;
}

/** `path` has a query already. */
export function usePages<Row extends Identified>(path: string): Pages<Row> {
  const store = useStore();
  const [found, setFound] = useState<readonly Row[]>();
  const [next, setNext] = useState<string | null>(null);
  const [failure, setFailure] = useState<RestFailure>();
  const [wanted, setWanted] = useState<{ after: string | null } | null>({ after: null });
  useEffect(() => {
    if (wanted === null) {
      return;
    }
    let isCurrent = true;
    const address = wanted.after === null ? path : `${path}&cursor=${encodeURIComponent(wanted.after)}`;
    ask<Page<Row>>(store, "GET", address)
      .then(
        (page) => {
          if (isCurrent) {
            setFound((before) => (wanted.after === null ? page.results : [...(before ?? []), ...page.results]));
            setNext(page.next);
          }
        },
        (error: RestFailure) => isCurrent && setFailure(error),
      )
      .finally(() => isCurrent && setWanted(null));
    return () => {
      isCurrent = false;
    };
  }, [store, path, wanted]);
  const more = () => {
    setFailure(undefined);
    setWanted({ after: found === undefined ? null : next });
  };
  useReconnected(() => failure !== undefined && more());
  return {
    rows: found,
    hasMore: next !== null,
    isBusy: wanted !== null,
    failure,
    more,
    drop: (id) => setFound((before) => before?.filter((row) => row.id !== id)),
  };
}
