/** What was remembered for an answer, why, and when it was said; to correct and to forget. */
import { useRef } from "react";
import { Correctable } from "../parts/Correctable";
import { useStore } from "../rpc/RpcProvider";
import { LONGEST, nameOf, type Remembered, reasonShown, textOf } from "./remembered";

export function RememberedItems({ items }: { items: readonly Remembered[] }) {
  const store = useStore();
  const list = useRef<HTMLUListElement>(null);
  return (
    <ul ref={list} className="remembered" tabIndex={-1} aria-label="Remembered">
      {items.map((item) => {
        const { id, kind, since } = item;
        const [name, text] = [nameOf(item), textOf(item)];
        if (since === "forgotten") {
          return (
            <li key={kind + id} className="muted">
              Forgotten.
            </li>
          );
        }
        return (
          <li key={kind + id}>
            <Correctable
              about={name === "" ? `“${text}”` : name}
              text={text}
              longest={LONGEST[kind]}
              onCorrect={(given) => store.correctMemory({ id, kind }, given)}
              onForget={() => store.forgetMemory({ id, kind })}
              onForgotten={() => list.current?.focus()}
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
