/** Settings of the assistant, the account and this browser, in sections. */
import { type ComponentType, useEffect } from "react";
import { Link } from "wouter";
import { msg, t } from "../i18n/translate";
import { PageFrame } from "../parts/PageFrame";
import { Account } from "./settings/Account";
import { Appearance } from "./settings/Appearance";
import { Assistant } from "./settings/Assistant";
import { Data } from "./settings/Data";
import { Memory } from "./settings/Memory";
import { Permissions } from "./settings/Permissions";
import { Privacy } from "./settings/Privacy";
import { Programs } from "./settings/Programs";
import { Usage } from "./settings/Usage";

interface Section {
  readonly path: string;
  readonly name: string;
  readonly Content: ComponentType;
}

const FIRST: Section = { path: "assistant", name: msg("Assistant"), Content: Assistant };
const SECTIONS: readonly Section[] = [
  FIRST,
  { path: "privacy", name: msg("Privacy"), Content: Privacy },
  { path: "permissions", name: msg("Permissions"), Content: Permissions },
  { path: "memory", name: msg("Memory"), Content: Memory },
  { path: "usage", name: msg("Usage"), Content: Usage },
  { path: "account", name: msg("Account"), Content: Account },
  { path: "programs", name: msg("Programs"), Content: Programs },
  { path: "appearance", name: msg("Appearance"), Content: Appearance },
  { path: "data", name: msg("Data"), Content: Data },
];

export function SettingsPage({ section }: { section: string | undefined }) {
  const { path, name, Content } = SECTIONS.find((each) => each.path === section) ?? FIRST;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each section is read from its beginning
  useEffect(() => {
    document.getElementById("main")?.scrollTo(0, 0);
  }, [path]);
  return (
    <PageFrame title={`${t(name)} · ${t("Settings")}`} heading={<h1>{t("Settings")}</h1>}>
      <div className="settings">
        <nav className="settings-nav" aria-label={t("Settings")}>
          {SECTIONS.map((each) => (
            <Link
              key={each.path}
              href={`/settings/${each.path}`}
              aria-current={each.path === path ? "page" : undefined}
            >
              {t(each.name)}
            </Link>
          ))}
        </nav>
        <div className="settings-content">
          <Content />
        </div>
      </div>
    </PageFrame>
  );
}
