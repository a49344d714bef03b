/** Signing in and signing up, with the same form. */
import { type FormEvent, useEffect, useState } from "react";
import { Link, Redirect } from "wouter";
import { Field } from "../parts/Field";
import { Mark } from "../parts/Mark";
import { Problem } from "../parts/Problem";
import { useSnapshot, useStore, useTask } from "../rpc/RpcProvider";

const SHORTEST_PASSWORD = 10;

export function AccountPage({ isNew }: { isNew: boolean }) {
  const store = useStore();
  const { account } = useSnapshot();
  const [isIn, setIn] = useState(false);
  const { run, isBusy, error } = useTask();
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const title = isNew ? "Make an account" : "Sign in";
  useEffect(() => {
    document.title = `${title} · Adiuva`;
  }, [title]);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const enter = () => (isNew ? store.signUp(email, password) : store.signIn(email, password));
    setIn(await run(enter));
  };
  if (isIn && account.at === "signed-in") {
    return <Redirect to="/" replace />;
  }
  return (
    <main className="account-page">
      <form className="account-card stack" onSubmit={(event) => void submit(event)}>
        <Mark />
        <h1>{title}</h1>
        <p className="muted small">
          Your tasks and notes stay in this browser. The account is for the assistant alone.
        </p>
        <Field name="Email address">
          <input
            className="input"
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </Field>
        <Field name={isNew ? `Password, at least ${SHORTEST_PASSWORD} characters` : "Password"}>
          <input
            className="input"
            type="password"
            autoComplete={isNew ? "new-password" : "current-password"}
            required
            minLength={isNew ? SHORTEST_PASSWORD : undefined}
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </Field>
        <Problem error={error} />
        <button type="submit" className="button primary" disabled={isBusy}>
          {isNew ? "Make the account" : "Sign in"}
        </button>
        <p className="small">
          {isNew ? "Already have an account? " : "No account yet? "}
          <Link href={isNew ? "/sign-in" : "/sign-up"}>{isNew ? "Sign in" : "Make one"}</Link>
        </p>
      </form>
    </main>
  );
}
