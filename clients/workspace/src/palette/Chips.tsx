/** What a line was understood to say. Pressing one leaves its words in the title. */
import { t } from "../i18n/translate";
import { dueShown } from "../parts/dates";
import { useTable } from "../rpc/tables";
import type { QuickTask, Understood } from "./quick_add";

export function Chips({ task, onKeep }: { task: QuickTask; onKeep: (text: string) => void }) {
  const projects = useTable("projects") ?? [];
  const nameOf = (part: Understood): string => {
    switch (part.kind) {
      case "date":
        return t("Due: {date}", { date: dueShown(Number(part.value)) });
      case "project":
        return t("Project: {name}", { name: projects.find(({ id }) => id === part.value)?.name ?? "" });
      case "newProject":
        return t("New project: {name}", { name: part.value });
      case "priority":
        return { high: t("Priority: high"), medium: t("Priority: medium"), low: t("Priority: low") }[part.value] ?? "";
      default:
        return t("For: {name}", { name: part.value });
    }
  };
  return (
    <ul className="chips" aria-live="polite" aria-label={t("Understood")}>
      <li className="pill title" aria-live="off">
        {task.title}
      </li>
      {task.understood.map((part) => (
        <li key={`${part.kind} ${part.text}`} className={`pill ${part.kind}`}>
          {nameOf(part)}
          <button
            type="button"
            aria-label={t("Leave “{words}” in the title", { words: part.text })}
            onClick={() => onKeep(part.text)}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
