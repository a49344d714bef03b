import { t } from "../i18n/translate";
import { CopyButton } from "./CopyButton";

/** A text that is shown as it is, and can be copied. */
export function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <div className="copyable">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <section className="copied-text" aria-label={label} tabIndex={0}>
        <pre>{text}</pre>
      </section>
      <CopyButton name={t("Copy: {what}", { what: label })} text={() => text} isSmall />
    </div>
  );
}
