/** The picker that is open over a list of tasks. */
import { msg, t } from "../i18n/translate";
import { useTable } from "../rpc/tables";
import type { Choice } from "./ChoiceList";
import { ChoicePopover, DatePopover } from "./pickers";
import type { Picking, TaskActions } from "./useTaskActions";
import type { Task } from "./view";

export const STATES = [
  ["todo", msg("To do")],
  ["in_progress", msg("In progress")],
  ["done", msg("Done")],
] as const;

export const PRIORITIES = [
  ["high", msg("High")],
  ["medium", msg("Medium")],
  ["low", msg("Low")],
] as const;

export function TaskPickers({ actions }: { actions: TaskActions }) {
  return actions.picking === null ? null : <Picker picking={actions.picking} actions={actions} />;
}

function Picker({ picking, actions }: { picking: Picking; actions: TaskActions }) {
  const projects = useTable("projects") ?? [];
  const { what, tasks, anchor } = picking;
  const [first] = tasks;
  const close = actions.stopPicking;
  const choose = (updates: Partial<Task>) => {
    close();
    actions.change(tasks, updates);
  };
  if (what === "date") {
    return (
      <DatePopover
        key="date"
        anchor={anchor}
        onClose={close}
        value={tasks.length === 1 ? (first?.dueDate ?? null) : null}
        onChoose={(dueDate) => choose({ dueDate })}
      />
    );
  }
  const lists: Record<typeof what, Listed> = {
    project: {
      label: t("Project"),
      choices: [
        { id: "", name: t("No project") },
        ...projects.filter(({ status }) => status !== "archived").map(({ id, name }) => ({ id, name })),
      ],
      value: first?.projectId ?? "",
      updates: (id) => ({ projectId: id || null }),
    },
    priority: {
      label: t("Priority"),
      choices: PRIORITIES.map(([id, name]) => ({ id, name: t(name) })),
      value: first?.priority ?? "",
      updates: (id) => ({ priority: id as Task["priority"] }),
    },
    status: {
      label: t("Status"),
      choices: STATES.map(([id, name]) => ({ id, name: t(name) })),
      value: first?.status ?? "",
      updates: (id) => ({ status: id as Task["status"] }),
    },
  };
  const { label, choices, value, updates } = lists[what];
  return (
    <ChoicePopover
      key={what}
      anchor={anchor}
      onClose={close}
      label={label}
      choices={choices}
      value={tasks.length === 1 ? value : undefined}
      onChoose={(id) => choose(updates(id))}
    />
  );
}

interface Listed {
  readonly label: string;
  readonly choices: readonly Choice[];
  readonly value: string;
  updates(id: string): Partial<Task>;
}
