/** An empty page: what can be asked, in one line and three examples that work, and example data to try it on. */

import { type ReactNode, useRef } from "react";
import { useContextualChat } from "../chat/ContextualChatProvider";
import { useSuggestions } from "../chat/ContextualSidebar";
import { currentLanguage } from "../i18n/language";
import { t } from "../i18n/translate";
import { useStore, useTask } from "../rpc/RpcProvider";
import { Elsewhere } from "./Elsewhere";
import { Problem } from "./Problem";
import { focusPage, isFocusLostOrIn } from "./useFocusInside";

export function EmptyState({
  line,
  offersData = true,
  children,
}: {
  line: string;
  offersData?: boolean;
  /** The button that fills the page. */
  children?: ReactNode;
}) {
  const examples = useSuggestions();
  const store = useStore();
  const { open, toggle, send } = useContextualChat();
  const { run, isBusy, error } = useTask();
  const ask = (example: string) => {
    if (!open) {
      toggle();
    }
    void send(example).catch(() => undefined);
  };
  const shell = useRef<HTMLDivElement>(null);
  const load = async () => {
    if (!(await store.loadExamples(currentLanguage()))) {
      throw new Error(t("The example data is here already: see Projects."));
    }
    if (isFocusLostOrIn(shell.current)) {
      focusPage();
    }
  };
  return (
    <div className="empty" ref={shell}>
      <Elsewhere />
      <p>{line}</p>
      {children}
      <ul className="examples">
        {examples.map((example) => (
          <li key={example}>
            <button type="button" className="button" onClick={() => ask(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
      {offersData && (
        <button type="button" className="button quiet underlined" disabled={isBusy} onClick={() => void run(load)}>
          {t("Or load example data to look around")}
        </button>
      )}
      <Problem error={error} />
    </div>
  );
}
