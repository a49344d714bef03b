/** Who was signed in when a page last heard of it: the workspace is drawn for them while the store still opens their data. */
import { keepDraftsOf } from "../parts/draft";
import { keep } from "../parts/kept";
import { type AccountState, NOTHING, type Snapshot } from "./messages";

const KEPT = "account";

/** The snapshot until the store sends its own. */
export function expectedSnapshot(): Snapshot {
  const email = localStorage.getItem(KEPT);
  if (email === null) {
    return NOTHING;
  }
  keepDraftsOf(email);
  return { ...NOTHING, account: { at: "signed-in", email } };
}

export function rememberAccount(account: AccountState): void {
  if (account.at === "signed-in") {
    keep(localStorage, KEPT, account.email);
    keepDraftsOf(account.email);
  } else if (account.at === "signed-out") {
    localStorage.removeItem(KEPT);
  }
}
