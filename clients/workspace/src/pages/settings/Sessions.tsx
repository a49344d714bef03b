/** The sign-ins that have not ended. */
import { t } from "../../i18n/translate";
import { ConfirmButton } from "../../parts/ConfirmButton";
import { browserShown } from "../../parts/devices";
import { isoShown } from "../../parts/words";
import { useStore } from "../../rpc/RpcProvider";
import { deviceName } from "../../store/device_name";
import { Answered } from "./Answered";
import { ask } from "./rest";
import { useRestList } from "./useRest";

const SESSIONS = "/api/v1/auth/sessions";

interface SessionFacts {
  readonly id: string;
  readonly client: string | null;
  readonly created_at: string;
  readonly last_used_at: string;
  readonly current: boolean;
}

export function Sessions() {
  const store = useStore();
  const sessions = useRestList<SessionFacts>(SESSIONS);
  const end = async (id: string) => {
    await ask(store, "DELETE", `${SESSIONS}/${id}`);
    sessions.change((known) => known.filter((each) => each.id !== id));
  };
  const endOthers = async () => {
    await ask(store, "POST", "/api/v1/auth/logout-others");
    sessions.change((known) => known.filter(({ current }) => current));
  };
  return (
    <section className="section">
      <h2>{t("Sign-ins")}</h2>
      <Answered rest={sessions}>
        {(known) => (
          <>
            <ul className="settings-list">
              {known.map((session) => (
                <li key={session.id} className="with-action">
                  <div className="entry">
                    <p className="row">
                      <strong>{clientShown(session)}</strong>
                      {session.current && <span className="pill">{t("This sign-in")}</span>}
                    </p>
                    <p className="small muted">
                      {t("Since {when}, last used {used}", {
                        when: isoShown(session.created_at),
                        used: isoShown(session.last_used_at),
                      })}
                    </p>
                  </div>
                  {!session.current && (
                    <ConfirmButton
                      isSmall
                      name={t("End")}
                      label={t("End the sign-in of {client}", { client: clientShown(session) })}
                      question={t("End this sign-in?")}
                      yes={t("Yes, end it")}
                      no={t("No")}
                      act={() => end(session.id)}
                    />
                  )}
                </li>
              ))}
            </ul>
            {known.length > 1 && (
              <ConfirmButton
                name={t("End all others…")}
                question={t("End all sign-ins but this one?")}
                yes={t("Yes, end them")}
                no={t("No")}
                act={endOthers}
              />
            )}
          </>
        )}
      </Answered>
    </section>
  );
}

function clientShown({ client }: SessionFacts): string {
  const name = client === null ? "web" : deviceName({ userAgent: client });
  return name === "web" ? (client ?? t("A program")).slice(0, 60) : browserShown(name);
}
