/** What is never sent to a model, and what has been sent. */
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
