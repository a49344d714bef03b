/** What was remembered for an answer, why, and when it was said; to correct and to forget. */

import { useRef, useState } from "react";
import { t } from "../i18n/translate";
import { Correctable } from "../parts/Correctable";
import { quoted } from "../parts/words";
import { useStore } from "../rpc/RpcProvider";
import { reasonShown } from "./reasons";
import { LONGEST, nameOf, type Remembered, textOf } from "./remembered";

export function RememberedItems({ items }: { items: readonly Remembered[] }) {
  const store = useStore();
  const list = useRef<HTMLUListElement>(null);
  // Shown at once: the stored answer follows.
  const [forgotten, setForgotten] = useState<readonly string[]>([]);
  const forget = async ({ id, kind, said_in }: Remembered) => {
    await store.forgetMemory({ id, kind, said_in });
    setForgotten((before) => [...before, id]);
  };
  return (
    <ul ref={list} className="remembered" tabIndex={-1} aria-label={t("Remembered")}>
      {items.map((item) => {
        const { id, kind, since } = item;
        const [name, text] = [nameOf(item), textOf(item)];
        if (since === "forgotten" || forgotten.includes(id)) {
          return (
            <li key={kind + id} className="muted">
              {t("Forgotten.")}
            </li>
          );
        }
        return (
          <li key={kind + id}>
            <Correctable
              about={name === "" ? quoted(text) : name}
              text={text}
              longest={LONGEST[kind]}
              onCorrect={(given) => store.correctMemory({ id, kind }, given)}
              onForget={() => forget(item)}
              onForgotten={(isFocusHere) => isFocusHere && list.current?.focus()}
            >
              <p>
                {name !== "" && <span className="muted">{name}: </span>}
                {text}
              </p>
              <p className="small muted">{reasonShown(item)}</p>
            </Correctable>
          </li>
        );
      })}
    </ul>
  );
}
