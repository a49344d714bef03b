/** Jobs that run beside the conversation, with their progress. */

import type { JobUpdate } from "@adiuva/client";
import { msg, t } from "../i18n/translate";
import { Problem } from "../parts/Problem";
import { useSnapshot, useStore, useTask } from "../rpc/RpcProvider";

const WORDS: Record<JobUpdate["state"], string> = {
  waiting_approval: msg("Waiting for your answer"),
  queued: msg("Waiting for its turn"),
  running: msg("At work"),
  waiting_device: msg("Waiting for this device"),
  done: msg("Done"),
  delivered: msg("Done"),
  failed: msg("Failed"),
  cancelled: msg("Stopped"),
};

export function Jobs({ sessionId }: { sessionId: string | null }) {
  const { jobs } = useSnapshot();
  const mine = jobs.filter((job) => job.session_id === undefined || job.session_id === sessionId);
  return (
    <div className="thread">
      {mine.map((job) => (
        <Job key={job.job_id} job={job} />
      ))}
    </div>
  );
}

function Job({ job }: { job: JobUpdate }) {
  const store = useStore();
  const { run, isBusy, error } = useTask();
  const isUnderWay = job.state === "queued" || job.state === "running" || job.state === "waiting_device";
  const name = job.label ?? t(WORDS[job.state]);
  return (
    <section className="job" aria-label={t("Work: {name}", { name })}>
      <div className="row">
        <span>{name}</span>
        <span className="pill">{t(WORDS[job.state])}</span>
        {isUnderWay && (
          <button
            type="button"
            className="button quiet"
            disabled={isBusy}
            onClick={() => void run(() => store.rest("POST", `/api/v1/jobs/${job.job_id}/cancel`))}
          >
            {t("Stop")}
          </button>
        )}
      </div>
      {isUnderWay &&
        (job.fraction === undefined ? (
          <progress aria-label={name} />
        ) : (
          <progress aria-label={name} value={job.fraction} />
        ))}
      {job.error && <p className="alert">{job.error.message}</p>}
      <Problem error={error} />
    </section>
  );
}
