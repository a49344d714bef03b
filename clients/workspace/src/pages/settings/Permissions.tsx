/** What the assistant does without asking, after asking, or never: by risk and by tool. */
import { t } from "../../i18n/translate";
import { Segments } from "../../parts/Segments";
import { Answered, Saved } from "./Answered";
import {
  DECISIONS,
  DEFAULTS,
  type Decision,
  decideRisk,
  decideTool,
  decisionShown,
  type Group,
  groupsOf,
  POLICIES,
  type Policies,
  RISKS,
  TOOLS,
  type Tool,
} from "./policies";
import { useRestList } from "./useRest";
import { type Setting, useSetting } from "./useSetting";

export function Permissions() {
  const setting = useSetting<Policies>(POLICIES, DEFAULTS);
  const tools = useRestList<Tool>(TOOLS);
  const policies = setting.shown.value;
  return (
    <>
      <section className="section">
        <h2>{t("What the assistant may do")}</h2>
        <Answered rest={setting.shown}>{(decided) => <Risks policies={decided} setting={setting} />}</Answered>
      </section>
      <section className="section">
        <h2>{t("In single cases")}</h2>
        <p className="muted">{t("A choice here counts for more than the one above.")}</p>
        <Answered rest={tools}>
          {(known) =>
            policies !== undefined &&
            groupsOf(known, policies).map((group) => (
              <Tools key={group.name} group={group} policies={policies} setting={setting} />
            ))
          }
        </Answered>
      </section>
      <Saved setting={setting} />
    </>
  );
}

function Risks({ policies, setting }: { policies: Policies; setting: Setting<Policies> }) {
  return RISKS.map(([risk, name, hint]) => (
    <fieldset key={risk} className="decision">
      <legend>{t(name)}</legend>
      <p className="hint">{t(hint)}</p>
      <Segments
        options={DECISIONS}
        chosen={policies.risks[risk]}
        onChoose={(decision) => setting.change(decideRisk(risk, decision))}
      />
      {risk === "destructive" && policies.risks.destructive === "auto" && (
        <p className="alert">{t("It deletes without asking you first. History undoes it, for 30 days.")}</p>
      )}
    </fieldset>
  ));
}

function Tools({ group, policies, setting }: { group: Group; policies: Policies; setting: Setting<Policies> }) {
  const decided = group.tools.filter(({ name }) => policies.tools[name] !== undefined).length;
  return (
    <details className="tools">
      <summary>
        {t(group.name)}
        {decided > 0 && (
          <span className="pill">{t("{count} of {all} decided", { count: decided, all: group.tools.length })}</span>
        )}
      </summary>
      <ul className="settings-list">
        {group.tools.map((tool) => (
          <li key={tool.name} className="tool">
            <label htmlFor={`tool-${tool.name}`}>{tool.label}</label>
            <select
              id={`tool-${tool.name}`}
              className="input"
              value={policies.tools[tool.name] ?? ""}
              onChange={({ target }) =>
                setting.change(decideTool(tool.name, target.value === "" ? null : (target.value as Decision)))
              }
            >
              <option value="">
                {t("As above: {decision}", { decision: decisionShown(policies.risks[tool.risk]).toLowerCase() })}
              </option>
              {DECISIONS.map(([decision, word]) => (
                <option key={decision} value={decision}>
                  {t(word)}
                </option>
              ))}
            </select>
          </li>
        ))}
      </ul>
    </details>
  );
}
