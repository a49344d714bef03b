import { AIChatPanel } from "../chat/AIChatPanel";
import { useTitle } from "../chat/OpenQuestions";

export function HomePage() {
  useTitle("Home");
  return (
    <main className="main" id="main">
      <h1 className="unseen">Home</h1>
      <AIChatPanel />
    </main>
  );
}
