/** What was found in files, and whether to take it. */
import { type ReactNode, useEffect, useRef } from "react";
import { t } from "../../i18n/translate";

export function Offer({
  label,
  yes,
  no = t("Leave it"),
  isBusy,
  onYes,
  onNo,
  children,
}: {
  label: string;
  /** What the button says; null if there is nothing to take. */
  yes: string | null;
  no?: string;
  isBusy: boolean;
  onYes: () => void;
  onNo: () => void;
  children: ReactNode;
}) {
  const answer = useRef<HTMLButtonElement>(null);
  useEffect(() => answer.current?.focus(), []);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <div
      className="found-copy"
      role="group"
      aria-label={label}
      onKeyDown={(event) => event.key === "Escape" && !isBusy && onNo()}
    >
      {children}
      <p className="row">
        {yes !== null && (
          <button type="button" className="button primary" disabled={isBusy} onClick={onYes}>
            {yes}
          </button>
        )}
        <button ref={answer} type="button" className="button" disabled={isBusy} onClick={onNo}>
          {no}
        </button>
      </p>
    </div>
  );
}
