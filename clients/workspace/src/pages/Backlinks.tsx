/** The notes and tasks that link to a row by its title. */
import { useMemo } from "react";
import { Link } from "wouter";
import { addressOf, type Entity } from "../blocks/addresses";
import { t } from "../i18n/translate";
import { EntityMark } from "../parts/EntityMark";
import { hasLink, linkKey } from "../parts/title_links";
import { useTable } from "../rpc/tables";

export function Backlinks({ of: { id, title } }: { of: { readonly id: string; readonly title: string } }) {
  const notes = useTable("notes");
  const tasks = useTable("tasks");
  const linking = useMemo(() => {
    const key = linkKey(title);
    const links = (text: string | null) => text !== null && hasLink(text, key);
    const all: readonly { entity: Entity; id: string; title: string }[] = [
      ...(notes ?? []).filter(({ content }) => links(content)).map((note) => ({ ...note, entity: "note" as const })),
      ...(tasks ?? [])
        .filter(({ description }) => links(description))
        .map((task) => ({ ...task, entity: "task" as const })),
    ];
    return all.filter((each) => each.id !== id);
  }, [notes, tasks, id, title]);
  return (
    linking.length > 0 && (
      <nav className="backlinks" aria-label={t("What links here")}>
        <span className="small muted">{t("Linked from")}</span>
        {linking.map((each) => (
          <Link key={each.id} href={addressOf(each.entity, each.id)} className="pill">
            <EntityMark entity={each.entity} />
            {each.title}
          </Link>
        ))}
      </nav>
    )
  );
}
