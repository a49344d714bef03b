/** Encrypted backups that this browser makes by itself. */
import { type FormEvent, useEffect, useState } from "react";
import { allowFolder, backUp } from "../../backup/automatic";
import { newKey } from "../../backup/format";
import { type Plan, planOf, savePlan } from "../../backup/plan";
import { t } from "../../i18n/translate";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { momentShown } from "../../parts/dates";
import { folderPicker } from "../../parts/folders";
import { PasswordField } from "../../parts/PasswordField";
import { Problem } from "../../parts/Problem";
import { useSnapshot, useStore, useTask } from "../../rpc/RpcProvider";

const SHORTEST = 12;

export function Backup() {
  const { account } = useSnapshot();
  const email = account.at === "signed-in" ? account.email : "";
  /** Undefined until it is known. */
  const [plan, setPlan] = useState<Plan | null>();
  useEffect(() => {
    planOf(email).then(setPlan, () => setPlan(null));
  }, [email]);
  return (
    <section className="section">
      <h2>{t("Automatic backup")}</h2>
      {plan === null && <Begin account={email} onPlan={setPlan} />}
      {plan && <Planned account={email} plan={plan} onPlan={setPlan} />}
    </section>
  );
}

function Begin({ account, onPlan }: { account: string; onPlan: (plan: Plan) => void }) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const [passphrase, setPassphrase] = useState("");
  const [again, setAgain] = useState("");
  const pick = folderPicker();
  const begin = async () => {
    if (passphrase !== again) {
      throw new Error(t("The two passphrases differ."));
    }
    const folder = pick === undefined ? null : await pick("adiuva-backup");
    if (folder !== undefined) {
      const plan = { ...(await newKey(passphrase)), folder, lastAt: null, failure: null };
      await savePlan(account, plan);
      onPlan(await backUp(store, account, plan));
    }
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(begin);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <p className="muted">
        {pick === undefined
          ? t("Every week all data is downloaded as a file that only your passphrase opens.")
          : t(
              "Every day all data is written into a folder of yours, such as one that is synchronized, as a file that only your passphrase opens.",
            )}{" "}
        {t("No one can open it without the passphrase, and no one can restore the passphrase: keep it safe.")}
      </p>
      <PasswordField
        name={t("Passphrase, at least {count} characters", { count: SHORTEST })}
        autoComplete="new-password"
        shortest={SHORTEST}
        value={passphrase}
        onChange={setPassphrase}
      />
      <PasswordField name={t("The same again")} autoComplete="new-password" value={again} onChange={setAgain} />
      <p className="row">
        <button type="submit" className="button" disabled={isBusy}>
          {pick === undefined ? t("Back up by downloads") : t("Choose the folder…")}
        </button>
      </p>
      <Problem error={error} />
    </form>
  );
}

function Planned({ account, plan, onPlan }: { account: string; plan: Plan; onPlan: (plan: Plan | null) => void }) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const now = async () => {
    if (plan.folder !== null && !(await allowFolder(plan.folder))) {
      throw new Error(t("The browser does not allow the folder to be used."));
    }
    onPlan(await backUp(store, account, plan));
  };
  const end = async () => {
    await savePlan(account, null);
    onPlan(null);
  };
  return (
    <>
      <p>
        {plan.folder === null
          ? t("Every week, as a download.")
          : t("Every day, into the folder “{folder}”.", { folder: plan.folder.name })}
      </p>
      <p className="muted" role="status">
        {plan.lastAt === null
          ? t("No backup has been made yet.")
          : t("The last backup: {when}", { when: momentShown(plan.lastAt) })}
      </p>
      {plan.failure !== null && error === "" && (
        <p className="alert" role="alert">
          {t("The last attempt failed: {why}", { why: plan.failure })}
        </p>
      )}
      <div className="row">
        <button type="button" className="button" disabled={isBusy} onClick={() => void run(now)}>
          {t("Back up now")}
        </button>
        <ConfirmButton
          name={t("Turn off…")}
          question={t("Stop making backups? Existing ones stay.")}
          yes={t("Yes, turn it off")}
          no={t("No")}
          act={end}
        />
      </div>
      <Problem error={error} />
    </>
  );
}
