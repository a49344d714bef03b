/** What is remembered of the user, to be read, put right and forgotten. */
import { Fragment, useState } from "react";
import { CoreFacts } from "./CoreFacts";
import { ForgetAll } from "./ForgetAll";
import { Recollections } from "./Recollections";
import { Remembering } from "./Remembering";

export function Memory() {
  // Everything is read anew once everything is forgotten.
  const [round, setRound] = useState(0);
  return (
    <Fragment key={round}>
      <Remembering />
      <CoreFacts />
      <Recollections
        tier="associative"
        name="Facts"
        about="An answer is told those that are close to the question. What happened, below, stands here once more, to be found by its meaning."
        text="content"
      />
      <Recollections
        tier="episodic"
        name="What happened"
        about="A sentence or two on each exchange; an answer is told the last five."
        text="summary"
      />
      <Recollections
        tier="proactive"
        name="Habits"
        about="What comes back week after week; an answer is told those that are sure."
        text="pattern"
      />
      <ForgetAll onForgotten={() => setRound(round + 1)} />
    </Fragment>
  );
}
