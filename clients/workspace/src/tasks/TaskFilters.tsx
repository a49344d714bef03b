/** The line above the tasks: search, filters, order and form. */
import { useState } from "react";
import { msg, t } from "../i18n/translate";
import { ProjectSelect } from "../parts/ProjectSelect";
import { PRIORITIES } from "./TaskPickers";
import { type TaskView, USUAL } from "./view";

const STATUSES = [
  ["open", msg("Open")],
  ["all", msg("All")],
  ["todo", msg("To do")],
  ["in_progress", msg("In progress")],
  ["done", msg("Done")],
] as const;

const SORTS = [
  ["due", msg("By date")],
  ["priority", msg("By priority")],
  ["title", msg("By title")],
  ["project", msg("By project")],
  ["created", msg("Newest first")],
] as const;

const FORMS = [
  ["list", msg("List")],
  ["status", msg("Board by status")],
  ["project", msg("Board by project")],
] as const;

const FILTERS = ["status", "priority", "projectId", "sort", "as"] as const;

export function TaskFilters({
  view,
  search,
  onSearch,
  onChange,
}: {
  view: TaskView;
  /** As it is typed; the view has it a moment later. */
  search: string;
  onSearch: (text: string) => void;
  onChange: (part: Partial<TaskView>) => void;
}) {
  // On a narrow page they are behind a button.
  const [isOpen, setOpen] = useState(false);
  const used = FILTERS.filter((name) => view[name] !== USUAL[name]).length;
  return (
    <search className={isOpen ? "filters open" : "filters"}>
      <input
        className="input search"
        type="search"
        data-search
        aria-label={t("Search tasks")}
        placeholder={t("Search")}
        value={search}
        onChange={(event) => onSearch(event.target.value)}
      />
      <button type="button" className="button toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {t("Filters")}
        {used > 0 && <span className="count">{used}</span>}
      </button>
      {view.as !== "status" && (
        <Choose
          label={t("Status")}
          choices={STATUSES}
          value={view.status}
          onChange={(status) => onChange({ status })}
        />
      )}
      <Choose
        label={t("Priority")}
        choices={[["", msg("Any priority")], ...PRIORITIES] as const}
        value={view.priority}
        onChange={(priority) => onChange({ priority })}
      />
      {view.as !== "project" && (
        <ProjectSelect
          label={t("Project")}
          none={t("Every project")}
          hasArchived
          value={view.projectId}
          onChange={(projectId) => onChange({ projectId })}
        />
      )}
      <Choose label={t("Order")} choices={SORTS} value={view.sort} onChange={(sort) => onChange({ sort })} />
      <Choose label={t("Shown as")} choices={FORMS} value={view.as} onChange={(as) => onChange({ as })} />
    </search>
  );
}

function Choose<T extends string>({
  label,
  choices,
  value,
  onChange,
}: {
  label: string;
  choices: readonly (readonly [value: T, name: string])[];
  value: T;
  onChange: (value: T) => void;
}) {
  return (
    <select className="input" aria-label={label} value={value} onChange={(event) => onChange(event.target.value as T)}>
      {choices.map(([each, name]) => (
        <option key={each} value={each}>
          {t(name)}
        </option>
      ))}
    </select>
  );
}
