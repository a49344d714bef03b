/** Signing in and signing up, with the same form. */
import { type FormEvent, useEffect, useState } from "react";
import { Link, Redirect } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { T, t } from "../i18n/translate";
import { Field } from "../parts/Field";
import { Mark } from "../parts/Mark";
import { PasswordField } from "../parts/PasswordField";
import { Problem } from "../parts/Problem";
import { answered, canUsePasskeys } from "../parts/passkeys";
import { useSnapshot, useStore, useTask } from "../rpc/RpcProvider";

const SHORTEST_PASSWORD = 10;

export function AccountPage({ isNew }: { isNew: boolean }) {
  const store = useStore();
  const [isIn, setIn] = useState(false);
  const { isSignedIn, hasSignedIn } = useSigningIn();
  const asked = useHistoryState<{ readonly to: string } | null>();
  const { run, isBusy, error } = useTask();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const title = isNew ? t("Make an account") : t("Sign in");
  useEffect(() => {
    document.title = `${title} · Adiuva`;
  }, [title]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const enter = () => (isNew ? store.signUp(email, password) : store.signIn(email, password));
    setIn(await run(enter));
  };
  const byPasskey = async () => {
    let isDone = false;
    await run(async () => {
      const credential = await answered(await store.passkeyOptions());
      if (credential !== null) {
        await store.signInByPasskey(credential);
        isDone = true;
      }
    });
    setIn(isDone);
  };
  if (isSignedIn && (isIn || (hasSignedIn && !isBusy))) {
    return <Redirect to={asked?.to ?? "/"} replace />;
  }
  return (
    <main className="account-page" id="main">
      <form className="account-card stack" onSubmit={(event) => void submit(event)}>
        <Mark />
        <h1>{title}</h1>
        <p className="muted small">
          {t("Your tasks and notes stay in this browser. The account is for the assistant alone.")}
        </p>
        <Field name={t("Email address")}>
          <input
            className="input"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <PasswordField
          name={isNew ? t("Password, at least {count} characters", { count: SHORTEST_PASSWORD }) : t("Password")}
          autoComplete={isNew ? "new-password" : "current-password"}
          shortest={isNew ? SHORTEST_PASSWORD : undefined}
          value={password}
          onChange={setPassword}
        />
        <Problem error={error} />
        <button type="submit" className="button primary" disabled={isBusy}>
          {isNew ? t("Make the account") : t("Sign in")}
        </button>
        {!isNew && canUsePasskeys() && (
          <button type="button" className="button" disabled={isBusy} onClick={() => void byPasskey()}>
            {t("Sign in with a passkey")}
          </button>
        )}
        {!isNew && (
          <p className="small">
            {/* A page of the server, outside the workspace. */}
            <a href="/account/forgotten">{t("Forgotten your password?")}</a>
          </p>
        )}
        <p className="small">
          {isNew ? (
            <T
              text="Already have an account? <0>Sign in</0>"
              elements={[<Link key="in" href="/sign-in" state={asked} />]}
            />
          ) : (
            <T text="No account yet? <0>Make one</0>" elements={[<Link key="up" href="/sign-up" state={asked} />]} />
          )}
        </p>
      </form>
    </main>
  );
}

/** `hasSignedIn`: since this page was opened, perhaps in another tab. Without it the user may sign in once more. */
function useSigningIn(): { isSignedIn: boolean; hasSignedIn: boolean } {
  const { account, connection } = useSnapshot();
  const isSignedIn = account.at === "signed-in";
  const isOut = account.at === "signed-out" || connection.at === "ended";
  const [wasOut, setWasOut] = useState(isOut);
  useEffect(() => {
    if (isOut) {
      setWasOut(true);
    }
  }, [isOut]);
  return { isSignedIn, hasSignedIn: isSignedIn && wasOut && !isOut };
}
