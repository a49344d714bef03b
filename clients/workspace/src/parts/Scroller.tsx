/** What scrolls, for the long lists in it: they draw what is in sight of it. */
import { createContext, type ReactNode, useContext, useState } from "react";

const Context = createContext<HTMLElement | null | undefined>(undefined);

/** The element that scrolls; null before it is there, undefined where nothing says what scrolls. */
export function useScroller(): HTMLElement | null | undefined {
  return useContext(Context);
}

/** `children` is given what the element that scrolls has as its `ref`. */
export function Scroller({ children }: { children: (ref: (element: HTMLElement | null) => void) => ReactNode }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  return <Context value={element}>{children(setElement)}</Context>;
}
