/** What is remembered of the user, to read, correct and forget. */

import { Fragment, useState } from "react";
import { t } from "../../i18n/translate";
import { CoreFacts } from "./CoreFacts";
import { Facts } from "./Facts";
import { ForgetAll } from "./ForgetAll";
import { Recollections } from "./Recollections";
import { Remembering } from "./Remembering";

export function Memory() {
  // Everything is loaded again after everything was forgotten.
  const [round, setRound] = useState(0);
  return (
    <Fragment key={round}>
      <Remembering />
      <CoreFacts />
      <Facts />
      <Recollections
        tier="episodic"
        kind="exchange"
        name={t("Conversations")}
        about={t("A sentence or two on each exchange, by day. Answers use what fits the question, in your own words.")}
        text="summary"
        isByDay
      />
      <Recollections
        tier="proactive"
        kind="habit"
        name={t("Habits")}
        about={t("What recurs week after week; answers use those that are certain.")}
        text="pattern"
      />
      <ForgetAll onForgotten={() => setRound(round + 1)} />
    </Fragment>
  );
}
