/** Selects a project, or none. */
import { memo, useDeferredValue } from "react";
import { t } from "../i18n/translate";
import { type Project, useProjects } from "./projects";

export function ProjectSelect({
  value,
  onChange,
  none,
  hasArchived = false,
  isRequired = false,
  label,
}: {
  /** The id; empty for none. */
  value: string;
  onChange: (id: string) => void;
  /** The label of the empty choice. */
  none: string;
  /** Without it an archived project is only listed while it is selected. */
  hasArchived?: boolean;
  isRequired?: boolean;
  /** Its name, if no field around it gives one. */
  label?: string;
}) {
  // A page is painted before the names of all projects, which may be thousands.
  const projects = useDeferredValue(useProjects() ?? NONE, NONE);
  return (
    <select
      className="input projects"
      required={isRequired}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{none}</option>
      <Options projects={projects} hasArchived={hasArchived} value={value} />
    </select>
  );
}

const NONE: readonly Project[] = [];

const Options = memo(function Options({
  projects,
  hasArchived,
  value,
}: {
  projects: readonly Project[];
  hasArchived: boolean;
  value: string;
}) {
  return projects
    .filter(({ id, status }) => hasArchived || status !== "archived" || id === value)
    .map(({ id, name, status }) => (
      <option key={id} value={id}>
        {status === "archived" ? t("{name} (archived)", { name }) : name}
      </option>
    ));
});
