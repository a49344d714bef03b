import { useEffect } from "react";
import { AIChatPanel } from "../chat/AIChatPanel";

export function HomePage() {
  useEffect(() => {
    document.title = "Home · Adiuva";
  }, []);
  return (
    <main className="main" id="main">
      <h1 className="unseen">Home</h1>
      <AIChatPanel />
    </main>
  );
}
