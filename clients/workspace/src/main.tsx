import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App, Notice } from "./App";
import { applyLanguage, followLanguage } from "./i18n/language";
import { t } from "./i18n/translate";
import { keepOffline } from "./offline/versions";
import { missing, openStore } from "./rpc/open";
import { RpcProvider } from "./rpc/RpcProvider";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/tasks.css";
import "./styles/palette.css";
import "./styles/editor.css";
import "./styles/chat.css";
import "./styles/answer.css";
import "./styles/settings.css";
import "./styles/offline.css";
import "./styles/print.css";

const root = document.getElementById("root");
if (root === null) {
  throw new Error("The page has no place for the workspace.");
}
const lack = missing();
await applyLanguage();
followLanguage();
createRoot(root).render(
  <StrictMode>
    {lack === null ? (
      <RpcProvider rpc={openStore()}>
        <App />
      </RpcProvider>
    ) : (
      <Notice>{t(lack)}</Notice>
    )}
  </StrictMode>,
);
if (import.meta.env.PROD && lack === null) {
  // After the first page, whose files come first.
  const keep = () => void keepOffline().catch(() => undefined);
  document.readyState === "complete" ? keep() : addEventListener("load", keep, { once: true });
}
