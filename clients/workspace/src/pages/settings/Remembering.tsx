/** Whether anything is remembered at all. */

import { t } from "../../i18n/translate";
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
      <h2>{t("Memory")}</h2>
      <Answered rest={me}>
        {({ memory_enabled }) => (
          <fieldset className="choices alone" disabled={isBusy}>
            <legend className="unseen">{t("Memory")}</legend>
            <Mark
              name={t("Remember what I say, for later answers")}
              hint={t("When off, nothing is added or used. Existing memories stay until you forget them.")}
              isMarked={memory_enabled}
              onMark={(isOn) => void run(() => choose(isOn))}
            />
          </fieldset>
        )}
      </Answered>
      <Problem error={error && t("Not saved: {why}", { why: error })} />
    </section>
  );
}
