/** The user's own rows, as links to their pages. */
import { Link } from "wouter";
import { dueShown, isPast } from "../parts/dates";
import { statusShown } from "../parts/values";
import { addressOf, type Entity } from "./addresses";

type Item = Readonly<Record<string, unknown>> & { readonly id: string };

export interface EntityData {
  readonly entity: Entity;
  readonly items: readonly Item[];
}

export function EntityBlock({ data: { entity, items } }: { data: EntityData }) {
  return (
    <ul className="block entities">
      {items.map((item) => (
        <li key={item.id}>
          <Link href={addressOf(entity, item.id)}>
            <span className="title">{String(item.title ?? item.name ?? "")}</span>
            <Facts entity={entity} item={item} />
          </Link>
        </li>
      ))}
    </ul>
  );
}

function Facts({ entity, item }: { entity: Entity; item: Item }) {
  const day = entity === "checkpoint" ? item.date : item.dueDate;
  const isLate = entity === "task" && item.status !== "done" && typeof day === "number" && isPast(day);
  const status = typeof item.status === "string" ? statusShown(item.status) : null;
  return (
    <>
      {item.priority === "high" && <span className="pill high">high</span>}
      {status !== null && <span className="pill">{status}</span>}
      {typeof day === "number" && <span className={isLate ? "pill overdue" : "pill"}>{dueShown(day)}</span>}
    </>
  );
}
