/** Who was signed in when a page last heard of it: the workspace is drawn for them while the store still opens their data. */
import { type AccountState, NOTHING, type Snapshot } from "./messages";

const KEPT = "account";

/** The snapshot until the store sends its own. */
export function expectedSnapshot(): Snapshot {
  const email = localStorage.getItem(KEPT);
  return email === null ? NOTHING : { ...NOTHING, account: { at: "signed-in", email } };
}

export function rememberAccount(account: AccountState): void {
  if (account.at === "signed-in") {
    localStorage.setItem(KEPT, account.email);
  } else if (account.at === "signed-out") {
    localStorage.removeItem(KEPT);
  }
}
