/** The notes that link to one. */
import type { RowOf } from "@adiuva/client/database";
import { useMemo } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { foldedText } from "../parts/folding";
import { useTable } from "../rpc/tables";

export function Backlinks({ note: { id, title } }: { note: RowOf["notes"] }) {
  const notes = useTable("notes");
  const linking = useMemo(() => {
    const link = `[[${foldedText(title)}]]`;
    return (notes ?? []).filter(
      (each) => each.id !== id && each.content.includes("[[") && foldedText(each.content).includes(link),
    );
  }, [notes, id, title]);
  return (
    linking.length > 0 && (
      <nav className="backlinks" aria-label={t("Notes that link here")}>
        <span className="small muted">{t("Linked from")}</span>
        {linking.map((each) => (
          <Link key={each.id} href={`/notes/${each.id}`} className="pill">
            {each.title}
          </Link>
        ))}
      </nav>
    )
  );
}
