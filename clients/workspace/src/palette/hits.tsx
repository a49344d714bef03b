/** What a search over everything finds, while it is typed. */
import { useEffect, useState } from "react";
import { msg, t } from "../i18n/translate";
import { Icon, type IconName } from "../parts/Icon";
import type { Hit } from "../rpc/messages";
import { useStore } from "../rpc/RpcProvider";

const SHOWN = 12;

export function useHits(text: string): readonly Hit[] {
  const store = useStore();
  const [hits, setHits] = useState<readonly Hit[]>([]);
  const sought = text.trim();
  useEffect(() => {
    let isCurrent = true;
    // The first one, of nothing, reads the texts while the user begins to type.
    store.search(sought, SHOWN).then(
      (found) => isCurrent && setHits(sought === "" ? [] : found),
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [store, sought]);
  return sought === "" ? [] : hits;
}

const KINDS: Readonly<Record<Hit["table"], readonly [icon: IconName, name: string]>> = {
  tasks: ["tasks", msg("Task")],
  notes: ["notes", msg("Note")],
  projects: ["projects", msg("Project")],
  checkpoints: ["timeline", msg("Checkpoint")],
  taskComments: ["tasks", msg("Comment")],
  clients: ["projects", msg("Client")],
  chats: ["home", msg("Chat")],
};

export function foundShown({ table, title, excerpt, isDone }: Hit) {
  const [icon, name] = KINDS[table];
  return (
    <>
      <Icon name={icon} />
      <span className={isDone ? "grows done" : "grows"}>
        {title}
        {excerpt !== "" && <span className="small muted"> {excerpt}</span>}
      </span>
      <span className="small muted">{t(name)}</span>
    </>
  );
}
