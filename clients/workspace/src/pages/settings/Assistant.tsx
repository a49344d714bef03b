/** Which model answers. */
import { Answered } from "./Answered";
import { useRest } from "./useRest";

interface Facts {
  readonly model: string;
  readonly offline: boolean;
}

export function Assistant() {
  const facts = useRest<Facts>("/api/v1/assistant");
  return (
    <section className="section">
      <h2>The model that answers</h2>
      <Answered rest={facts}>
        {({ model, offline }) => (
          <>
            <p className="fact">{offline ? "None: the offline assistant answers" : model}</p>
            {offline ? (
              <p className="muted">
                It understands plain commands, such as “Which tasks are due today?”. To connect a model, start the
                server with <code>OPENAI_API_KEY</code>, or with <code>OPENAI_BASE_URL</code> for one of your own.
              </p>
            ) : (
              <p className="muted">
                It is sent what you write, and those of your rows that an answer needs. Under Privacy you see which, and
                decide what it never gets.
              </p>
            )}
          </>
        )}
      </Answered>
    </section>
  );
}
