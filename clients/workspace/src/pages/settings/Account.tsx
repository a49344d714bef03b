/** Who is signed in, and where. */
import { useKeeper, useSnapshot, useTask } from "../../line/LineProvider";
import { Problem } from "../../parts/Problem";
import { SureButton } from "../../parts/SureButton";
import { Devices } from "./Devices";
import { ask } from "./rest";

export function Account() {
  const keeper = useKeeper();
  const { account, connection } = useSnapshot();
  const { run, isBusy, error } = useTask();
  const signOutEverywhere = async () => {
    await ask(keeper, "POST", "/api/v1/auth/logout-everywhere");
    await keeper.signOut();
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
            {connection.at === "online" ? "Connected" : connection.at === "ended" ? connection.why : "Not connected"}
          </dd>
        </dl>
        <p className="row">
          <button type="button" className="button" disabled={isBusy} onClick={() => void run(() => keeper.signOut())}>
            Sign out
          </button>
          <span className="small muted">What lies in this browser stays, for when you sign in again.</span>
        </p>
        <Problem error={error} />
      </section>
      <Devices />
      <section className="section">
        <h2>Everywhere</h2>
        <p className="muted">
          Ends every sign-in of this account, here and on other devices, and the tokens of your programs. Nothing is
          deleted: each device keeps its data.
        </p>
        <SureButton
          name="Sign out everywhere"
          question="Sign out on all devices, this one too?"
          yes="Yes, everywhere"
          no="No"
          act={signOutEverywhere}
        />
      </section>
    </>
  );
}
