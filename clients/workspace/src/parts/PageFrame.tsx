/** A page with its header: title, what can be done, and the trigger at its right end. */
import type { ReactNode } from "react";
import { useEffect } from "react";
import { AdiuvaTriggerButton } from "../chat/AdiuvaTriggerButton";
import { Scroller } from "./Scroller";

export function PageFrame({
  title,
  heading,
  actions,
  scrolls = true,
  children,
}: {
  title: string;
  /** In the place of the title, as where that can be edited. */
  heading?: ReactNode;
  actions?: ReactNode;
  scrolls?: boolean;
  children: ReactNode;
}) {
  useEffect(() => {
    document.title = `${title} · Adiuva`;
  }, [title]);
  return (
    <Scroller>
      {(ref) => (
        <main ref={scrolls ? ref : undefined} className={scrolls ? "page scrolls" : "page"} id="main">
          <header className="header">
            {heading ?? <h1>{title}</h1>}
            {actions}
            <AdiuvaTriggerButton />
          </header>
          {children}
        </main>
      )}
    </Scroller>
  );
}
