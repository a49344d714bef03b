/** A small mark on a project that is never sent to a model; nothing until that is known. */

import { Link } from "wouter";
import { t } from "../i18n/translate";
import { SHARING } from "../rpc/messages";
import type { Marks } from "./settings/sharing";
import { useRest } from "./settings/useRest";

export function NeverSharedMark({ projectId }: { projectId: string }) {
  const marks = useRest<Marks>(SHARING);
  if (marks.value === undefined || !isHeldBack(marks.value, projectId)) {
    return null;
  }
  return (
    <Link className="pill" href="/settings/privacy" title={t("No model is sent anything of this project")}>
      {t("Never shared")}
    </Link>
  );
}

function isHeldBack({ tables, projects }: Marks, projectId: string): boolean {
  return tables.includes("projects") || projects.includes(projectId);
}
