/** A draft: kept for this tab until it is sent or emptied, even if its component is closed. */
import { useState } from "react";

/** `restore` writes the text again, unless another one has been begun. */
export function useDraft(name: string): [text: string, write: (text: string) => void, restore: (text: string) => void] {
  const key = `draft.${name}`;
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? "");
  const write = (now: string) => {
    if (now === "") {
      sessionStorage.removeItem(key);
    } else {
      sessionStorage.setItem(key, now);
    }
    setText(now);
  };
  const restore = (before: string) => {
    if ((sessionStorage.getItem(key) ?? "") === "") {
      write(before);
    }
  };
  return [text, write, restore];
}
