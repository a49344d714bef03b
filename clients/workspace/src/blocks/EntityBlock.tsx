/** The user's own rows, as they are now, as links to their pages. Tasks can be ticked. */
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { dueShown, isPast } from "../parts/dates";
import { EntityMark } from "../parts/EntityMark";
import { statusShown } from "../parts/values";
import type { TableName } from "../rpc/messages";
import { addressOf, type Entity } from "./addresses";
import { useLiveRows } from "./live_rows";
import { TaskTick } from "./TaskTick";

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

export interface EntityData {
  readonly entity: Entity;
  readonly items: readonly Item[];
}

const TABLES: Readonly<Record<Entity, TableName>> = {
  task: "tasks",
  project: "projects",
  note: "notes",
  checkpoint: "checkpoints",
};

export function EntityBlock({ data: { entity, items } }: { data: EntityData }) {
  const rows = useLiveRows(
    TABLES[entity] ?? "tasks",
    items.map(({ id }) => id),
  );
  return (
    <ul className="block entities">
      {items.map((item) => {
        const row = rows.get(item.id);
        return row === null ? (
          <li key={item.id} className="gone muted">
            <del>{nameOf(item)}</del> <span className="small">{t("It is not there any more.")}</span>
          </li>
        ) : (
          <Entry key={item.id} entity={entity} item={{ ...item, ...row }} />
        );
      })}
    </ul>
  );
}

function Entry({ entity, item }: { entity: Entity; item: Item }) {
  const isDone = entity === "task" && item.status === "done";
  return (
    <li className={isDone ? "done" : undefined}>
      {entity === "task" ? (
        <TaskTick id={item.id} title={nameOf(item)} status={item.status} />
      ) : (
        <EntityMark entity={entity} />
      )}
      <Link href={addressOf(entity, item.id)}>
        <span className="title">{nameOf(item)}</span>
        <Facts entity={entity} item={item} />
      </Link>
    </li>
  );
}

function nameOf(item: Item): string {
  return String(item.title ?? item.name ?? "");
}

function Facts({ entity, item }: { entity: Entity; item: Item }) {
  const day = entity === "checkpoint" ? item.date : item.dueDate;
  const isLate = entity === "task" && item.status !== "done" && typeof day === "number" && isPast(day);
  const status = typeof item.status === "string" ? statusShown(item.status) : null;
  return (
    <>
      {item.priority === "high" && <span className="pill high">{t("high")}</span>}
      {status !== null && <span className={`pill state ${String(item.status)}`}>{status}</span>}
      {typeof day === "number" && (
        <span className={isLate ? "pill date overdue" : "pill date"}>
          {isLate && <span className="unseen">{t("Overdue")} </span>}
          {dueShown(day)}
        </span>
      )}
    </>
  );
}
