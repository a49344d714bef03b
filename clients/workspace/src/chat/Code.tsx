/** A block of code in an answer: scrolls by itself, can be copied, and is highlighted if its language is known. */
import { type ComponentType, lazy, Suspense } from "react";
import { t } from "../i18n/translate";
import { CopyButton } from "../parts/CopyButton";

const Highlighted = lazy<ComponentType<{ code: string; language: string }>>(() =>
  import("./Highlighted").catch(() => ({ default: Plain })),
);

/** Longer code is shown as it is: to highlight it would stop the page. */
const HIGHLIGHTED_CHARACTERS = 20_000;

export function Code({ code, language }: { code: string; language: string }) {
  return (
    <div className="code">
      <div className="code-bar">
        <span>{language}</span>
        <CopyButton name={t("Copy the code")} text={() => code} isSmall />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>
        <code>
          {language === "" || code.length > HIGHLIGHTED_CHARACTERS ? (
            code
          ) : (
            <Suspense fallback={code}>
              <Highlighted code={code} language={language} />
            </Suspense>
          )}
        </code>
      </pre>
    </div>
  );
}

function Plain({ code }: { code: string; language: string }) {
  return code;
}
