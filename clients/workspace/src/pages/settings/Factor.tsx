/** One of the user's passkeys or authenticator apps: when it was used, and its removal. */
import type { Confirmation } from "@adiuva/client";
import { useState } from "react";
import { t } from "../../i18n/translate";
import { useOpener } from "../../parts/useOpener";
import { isoShown } from "../../parts/words";
import { useStore } from "../../rpc/RpcProvider";
import { Confirming } from "./Confirming";
import { ask } from "./rest";

export function Factor({
  address,
  name,
  factor: { created_at, last_used_at },
  removal,
  onRemoved,
}: {
  /** Where it is deleted. */
  address: string;
  name: string;
  factor: { readonly created_at: string; readonly last_used_at: string | null };
  /** What the button of its removal says. */
  removal: string;
  onRemoved: () => void;
}) {
  const store = useStore();
  const [isRemoving, setRemoving] = useState(false);
  const opener = useOpener(isRemoving);
  const when = isoShown(created_at);
  const remove = async (confirmation: Confirmation) => {
    await ask(store, "DELETE", address, confirmation);
    onRemoved();
  };
  return (
    <>
      <div className="with-action">
        <div className="entry">
          <strong>{name}</strong>
          <p className="small muted">
            {last_used_at === null
              ? t("Added {when}, not used yet", { when })
              : t("Added {when}, last used {used}", { when, used: isoShown(last_used_at) })}
          </p>
        </div>
        {!isRemoving && (
          <button
            ref={opener}
            type="button"
            className="button small"
            aria-label={t("Remove {name}", { name })}
            onClick={() => setRemoving(true)}
          >
            {t("Remove…")}
          </button>
        )}
      </div>
      {isRemoving && <Confirming name={removal} isDangerous act={remove} onCancel={() => setRemoving(false)} />}
    </>
  );
}
