/** The answers that the user has pinned. */
import type { ChatMessage } from "@adiuva/client/database";
import { useEffect, useState } from "react";
import { useRpc } from "../rpc/RpcProvider";

/** The latest first; null until they are loaded. */
export function usePinned(): readonly ChatMessage[] | null {
  const rpc = useRpc();
  const [pinned, setPinned] = useState<readonly ChatMessage[] | null>(null);
  useEffect(() => {
    let isCurrent = true;
    const read = () => {
      rpc.store.pinnedAnswers().then(
        (found) => isCurrent && setPinned(found ?? []),
        () => undefined,
      );
    };
    const stop = rpc.onEvent(({ type }) => {
      if (type === "chats" || type === "renewed" || type === "cut") {
        read();
      }
    });
    read();
    return () => {
      isCurrent = false;
      stop();
    };
  }, [rpc]);
  return pinned;
}
