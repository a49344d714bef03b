import { AIChatPanel } from "../chat/AIChatPanel";
import { useTitle } from "../chat/OpenQuestions";
import { t } from "../i18n/translate";

export function HomePage() {
  useTitle(t("Home"));
  return (
    <main className="main" id="main">
      <h1 className="unseen">{t("Home")}</h1>
      <AIChatPanel />
    </main>
  );
}
