/** Whether anything is remembered at all. */

import { Problem } from "../../parts/Problem";
import { useStore, useTask } from "../../rpc/RpcProvider";
import { Answered } from "./Answered";
import { Mark } from "./Mark";
import { ask } from "./rest";
import { useRest } from "./useRest";

const ME = "/api/v1/auth/me";

interface Me {
  readonly memory_enabled: boolean;
}

export function Remembering() {
  const store = useStore();
  const me = useRest<Me>(ME);
  const { run, isBusy, error } = useTask();
  const choose = async (memory_enabled: boolean) => me.put(await ask<Me>(store, "PATCH", ME, { memory_enabled }));
  return (
    <section className="section">
      <h2>Memory</h2>
      <Answered rest={me}>
        {({ memory_enabled }) => (
          <fieldset className="choices alone" disabled={isBusy}>
            <legend className="unseen">Memory</legend>
            <Mark
              name="Remember what I say, for later answers"
              hint="When off, nothing is added or used. Existing memories stay until you forget them."
              isMarked={memory_enabled}
              onMark={(isOn) => void run(() => choose(isOn))}
            />
          </fieldset>
        )}
      </Answered>
      <Problem before="Not saved: " error={error} />
    </section>
  );
}
