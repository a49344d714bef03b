/** A page with its header: title, actions, and the trigger at the right end. */
import type { ReactNode } from "react";
import { AdiuvaTriggerButton } from "../chat/AdiuvaTriggerButton";
import { useTitle } from "../chat/OpenQuestions";
import { Scroller } from "./Scroller";

export function PageFrame({
  title,
  heading,
  actions,
  scrolls = true,
  isLoading = false,
  children,
}: {
  title: string;
  /** Replaces the title, for example with an editable one. */
  heading?: ReactNode;
  actions?: ReactNode;
  scrolls?: boolean;
  /** The page will replace this frame: it is announced then, and nothing in this one takes the focus. */
  isLoading?: boolean;
  children?: ReactNode;
}) {
  useTitle(title);
  return (
    <Scroller>
      {(ref) => (
        <main
          ref={scrolls ? ref : undefined}
          className={scrolls ? "page scrolls" : "page"}
          id="main"
          aria-busy={isLoading || undefined}
        >
          <header className="header">
            {heading ?? <h1>{title}</h1>}
            {actions}
            {!isLoading && <AdiuvaTriggerButton />}
          </header>
          {children}
        </main>
      )}
    </Scroller>
  );
}
