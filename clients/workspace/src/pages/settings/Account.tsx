/** Who is signed in, and where. */

import { t } from "../../i18n/translate";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { Problem } from "../../parts/Problem";
import { useSnapshot, useStore, useTask } from "../../rpc/RpcProvider";
import { AuthenticatorApps } from "./AuthenticatorApps";
import { Devices } from "./Devices";
import { DeleteAccount, ServerExport } from "./Leaving";
import { Passkeys } from "./Passkeys";
import { Password } from "./Password";
import { ask } from "./rest";
import { Sessions } from "./Sessions";

export function Account() {
  const store = useStore();
  const { account, connection } = useSnapshot();
  const { run, isBusy, error } = useTask();
  const signOutEverywhere = async () => {
    await ask(store, "POST", "/api/v1/auth/logout-everywhere");
    await store.signOut();
  };
  return (
    <>
      <section className="section">
        <h2>{t("This account")}</h2>
        <dl>
          <dt>{t("Signed in as")}</dt>
          <dd>{account.at === "signed-in" ? account.email : "–"}</dd>
          <dt>{t("Connection")}</dt>
          <dd>
            {connection.at === "online"
              ? t("Connected")
              : connection.at === "ended"
                ? t(connection.why)
                : t("Not connected")}
          </dd>
        </dl>
        <p className="row">
          <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => store.signOut())}>
            {t("Sign out")}
          </button>
          <span className="small muted">{t("The data in this browser is kept for when you sign in again.")}</span>
        </p>
        <Problem error={error} />
      </section>
      <Password />
      <Passkeys />
      <AuthenticatorApps />
      <Devices />
      <Sessions />
      <section className="section">
        <h2>{t("Everywhere")}</h2>
        <p className="muted">
          {t(
            "Ends every sign-in of this account, here and on other devices, and the tokens of your programs. Nothing is deleted: each device keeps its data.",
          )}
        </p>
        <ConfirmButton
          name={t("Sign out everywhere")}
          question={t("Sign out on all devices, this one too?")}
          yes={t("Yes, everywhere")}
          no={t("No")}
          act={signOutEverywhere}
        />
      </section>
      <ServerExport />
      <DeleteAccount />
    </>
  );
}
