/** Entries of the journal, read again after each change. */
import type { Entry } from "@adiuva/client/database";
import { useEffect, useState } from "react";
import { useRpc } from "../rpc/RpcProvider";

/** What was changed on a day or for a request, the latest first; null until it is loaded. */
export function useHistory(of: { readonly day: string } | { readonly request: string }): readonly Entry[] | null {
  const rpc = useRpc();
  const [found, setFound] = useState<{ asked: string; entries: readonly Entry[] }>();
  const asked = JSON.stringify(of);
  useEffect(() => {
    let isCurrent = true;
    const read = async () => {
      const entries = await rpc.store.history(JSON.parse(asked) as typeof of).catch(() => null);
      if (isCurrent && entries !== null) {
        setFound({ asked, entries });
      }
    };
    const stop = rpc.onEvent(({ type }) => {
      if (type === "change" || type === "renewed") {
        void read();
      }
    });
    void read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [rpc, asked]);
  return found?.asked === asked ? found.entries : null;
}
