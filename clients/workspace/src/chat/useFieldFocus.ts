import { type RefObject, useEffect } from "react";
import { isFocusLost, useFocusInside } from "../parts/useFocusInside";

/**
 * After a suggestion is asked, which is gone then, or a brief, whose button is disabled, the text field has the focus; on
 * a touch screen, where that would open a keyboard over the answer, the messages have it.
 */
export function useFieldFocus(place: RefObject<HTMLElement | null>): void {
  const inside = useFocusInside(place);
  // What is removed is no event: this is checked whenever the chat is drawn.
  useEffect(() => {
    const had = inside.current;
    const isAsked = had?.isConnected ? had.matches(".home-bar :disabled") : had?.matches(".examples *");
    if (isAsked && isFocusLost()) {
      const next = matchMedia("(pointer: coarse)").matches ? ".scroller" : ".composer textarea";
      place.current?.querySelector<HTMLElement>(next)?.focus();
    }
  });
}
