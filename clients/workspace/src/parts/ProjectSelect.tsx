/** One project of those there are, or none. */
import { useRows } from "../line/LineProvider";

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
  /** What none is called. */
  none: string;
  /** Without it an archived project is there only while it is the chosen one. */
  hasArchived?: boolean;
  isRequired?: boolean;
  /** Where no field around it names it. */
  label?: string;
}) {
  const projects = useRows("projects", { includeArchived: true, orderBy: "name" }) ?? [];
  return (
    <select
      className="input"
      required={isRequired}
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">{none}</option>
      {projects
        .filter(({ id, status }) => hasArchived || status !== "archived" || id === value)
        .map(({ id, name, status }) => (
          <option key={id} value={id}>
            {status === "archived" ? `${name} (archived)` : name}
          </option>
        ))}
    </select>
  );
}
