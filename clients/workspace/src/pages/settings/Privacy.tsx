/** What never goes to any model, and what has gone. */
import { Disclosures } from "./Disclosures";
import { NeverShared } from "./NeverShared";

export function Privacy() {
  return (
    <>
      <NeverShared />
      <Disclosures />
    </>
  );
}
