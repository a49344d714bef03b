import { useEffect, useState } from "react";
import { t } from "../i18n/translate";
import { useStore } from "../rpc/RpcProvider";

/** Ticks a task where it is shown. It is ticked at once; the row follows. */
export function TaskTick({ id, title, status }: { id: string; title: string; status: unknown }) {
  const store = useStore();
  const [wanted, setWanted] = useState<boolean | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the row has followed, or changed otherwise
  useEffect(() => setWanted(null), [status]);
  const isDone = wanted ?? status === "done";
  const tick = () => {
    setWanted(!isDone);
    store.tick(id, !isDone).catch(() => setWanted(null));
  };
  return (
    <input
      type="checkbox"
      className="tick-box"
      checked={isDone}
      aria-label={t("Done: {title}", { title })}
      onChange={tick}
    />
  );
}
