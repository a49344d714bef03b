/** Looks every hour whether it is time for a backup; the code for it comes after the first page. */
import { useEffect } from "react";
import { useSnapshot, useStore } from "../rpc/RpcProvider";

const AT_REST_MS = 3000;
const HOUR_MS = 60 * 60_000;

export function useBackups(): void {
  const store = useStore();
  const { account } = useSnapshot();
  const email = account.at === "signed-in" ? account.email : null;
  useEffect(() => {
    if (email === null) {
      return;
    }
    const look = () =>
      void import("./automatic").then(({ backUpIfDue }) => backUpIfDue(store, email)).catch(() => undefined);
    const first = setTimeout(look, AT_REST_MS);
    const further = setInterval(look, HOUR_MS);
    return () => {
      clearTimeout(first);
      clearInterval(further);
    };
  }, [store, email]);
}
