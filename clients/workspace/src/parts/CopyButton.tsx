import { useEffect, useState } from "react";
import { t } from "../i18n/translate";
import { Icon } from "./Icon";

/** How long it says that it has copied. */
const SAID_MS = 2000;

/** Copies a text, and says so. `name` is what it copies, as the button's name. */
export function CopyButton({ name, text, isSmall = false }: { name: string; text: () => string; isSmall?: boolean }) {
  const [said, setSaid] = useState<"" | "copied" | "failed">("");
  useEffect(() => {
    if (said !== "") {
      const timer = setTimeout(() => setSaid(""), SAID_MS);
      return () => clearTimeout(timer);
    }
  }, [said]);
  const copy = () => {
    navigator.clipboard.writeText(text()).then(
      () => setSaid("copied"),
      () => setSaid("failed"),
    );
  };
  const shown = said === "copied" ? t("Copied") : said === "failed" ? t("The browser did not allow it") : "";
  return (
    <>
      <button
        type="button"
        className={isSmall ? "button quiet copy small" : "button quiet copy"}
        aria-label={name}
        onClick={copy}
      >
        <Icon name="copy" />
        <span>{shown}</span>
      </button>
      {/* Nothing in a button is announced. */}
      <span className="unseen" role="status">
        {shown}
      </span>
    </>
  );
}
