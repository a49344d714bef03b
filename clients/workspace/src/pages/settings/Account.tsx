/** Who is signed in, and where. */
import { t } from "../../i18n/translate";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { Problem } from "../../parts/Problem";
import { useSnapshot, useStore, useTask } from "../../rpc/RpcProvider";
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
        <h2>This account</h2>
        <dl>
          <dt>Signed in as</dt>
          <dd>{account.at === "signed-in" ? account.email : "–"}</dd>
          <dt>Connection</dt>
          <dd>
            {connection.at === "online" ? "Connected" : connection.at === "ended" ? t(connection.why) : "Not connected"}
          </dd>
        </dl>
        <p className="row">
          <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => store.signOut())}>
            Sign out
          </button>
          <span className="small muted">The data in this browser is kept for when you sign in again.</span>
        </p>
        <Problem error={error} />
      </section>
      <Password />
      <Passkeys />
      <Devices />
      <Sessions />
      <section className="section">
        <h2>Everywhere</h2>
        <p className="muted">
          Ends every sign-in of this account, here and on other devices, and the tokens of your programs. Nothing is
          deleted: each device keeps its data.
        </p>
        <ConfirmButton
          name="Sign out everywhere"
          question="Sign out on all devices, this one too?"
          yes="Yes, everywhere"
          no="No"
          act={signOutEverywhere}
        />
      </section>
      <ServerExport />
      <DeleteAccount />
    </>
  );
}
