import { type RefObject, useLayoutEffect, useState } from "react";

/** The width of an element with its padding, in pixels, from its first paint on; `unknown` before. */
export function useWidth(place: RefObject<Element | null>, unknown = 0): number {
  const [width, setWidth] = useState(unknown);
  useLayoutEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    const measure = () => setWidth(element.clientWidth);
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [place]);
  return width;
}
