/** Which models there are, and which one answers. */
import { T, t } from "../../i18n/translate";
import { Answered } from "./Answered";
import { useRest } from "./useRest";

interface Facts {
  readonly model: string;
  readonly offline: boolean;
  /** Those that a request may choose. */
  readonly models: readonly Model[];
}

interface Model {
  readonly name: string;
  readonly display_name: string;
  readonly default: boolean;
  readonly images: boolean;
}

export function Assistant() {
  const facts = useRest<Facts>("/api/v1/assistant");
  return (
    <section className="section">
      <h2>{t("The model that answers")}</h2>
      <Answered rest={facts}>
        {({ model, offline, models = [] }) => (
          <>
            <p className="fact">{offline ? t("None: the offline assistant answers") : model}</p>
            {offline ? (
              <p className="muted">
                <T
                  text="It understands plain commands, such as “Which tasks are due today?”. To connect a model, start the server with <0/>, or with <1/> for one of your own."
                  elements={[<code key="key">OPENAI_API_KEY</code>, <code key="url">OPENAI_BASE_URL</code>]}
                />
              </p>
            ) : (
              <p className="muted">
                {t(
                  "It is sent what you write, and those of your rows that an answer needs. Under Privacy you see which, and decide what it never gets.",
                )}
              </p>
            )}
            {models.length > 1 && <Models models={models} />}
          </>
        )}
      </Answered>
    </section>
  );
}

function Models({ models }: { models: readonly Model[] }) {
  return (
    <>
      <h3>{t("Models to choose from")}</h3>
      <ul className="settings-list">
        {models.map((model) => (
          <li key={model.name} className="row">
            <span className="grows">{model.display_name}</span>
            {model.images && <span className="pill">{t("Sees pictures")}</span>}
            {model.default && <span className="pill good">{t("Used unless another is chosen")}</span>}
          </li>
        ))}
      </ul>
    </>
  );
}
