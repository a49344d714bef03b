/** All conversations, or those with the sought words. */
import { useCallback, useEffect, useState } from "react";
import type { ListedChat } from "../rpc/messages";
import { useRpc, useSnapshot } from "../rpc/RpcProvider";

export interface Chats {
  /** Null until they are loaded. */
  readonly chats: readonly ListedChat[] | null;
  read(): void;
}

export function useChats(words: string): Chats {
  const rpc = useRpc();
  const { questions } = useSnapshot();
  const [chats, setChats] = useState<readonly ListedChat[] | null>(null);
  const asking = questions.map(({ request_id }) => request_id).join(" ");
  const read = useCallback(() => {
    rpc.store.listChats(words).then(
      (found) => setChats(found ?? []),
      () => undefined,
    );
  }, [rpc, words]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a question marks its conversation
  useEffect(() => {
    read();
    return rpc.onEvent(({ type }) => {
      if (type === "chats" || type === "renewed") {
        read();
      }
    });
  }, [rpc, read, asking]);
  return { chats, read };
}
