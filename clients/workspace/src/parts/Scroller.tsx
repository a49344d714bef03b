/** A scrolling element for the long lists in it, which draw only their visible part. */
import { createContext, type ReactNode, useContext, useState } from "react";

const Context = createContext<HTMLElement | null | undefined>(undefined);

/** The scrolling element; null until it exists, undefined without a `Scroller`. */
export function useScroller(): HTMLElement | null | undefined {
  return useContext(Context);
}

/** `children` gets the `ref` for the scrolling element. */
export function Scroller({ children }: { children: (ref: (element: HTMLElement | null) => void) => ReactNode }) {
  const [element, setElement] = useState<HTMLElement | null>(null);
  return <Context value={element}>{children(setElement)}</Context>;
}
