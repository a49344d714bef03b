/** Suggestions for a page: three sentences that work there, also with the offline assistant. Pure. */
import { t } from "../i18n/translate";

export type Area = "tasks" | "projects" | "project" | "notes" | "timeline" | "settings";
export type Three = readonly [string, string, string];

/** `project` is the name of an existing project: a task that is created on a page of many needs one. */
export function suggestionsFor(area: Area, project: string | null): Three {
  const make = project === null ? null : t("Create a task called “Call Anna” in project “{project}”", { project });
  switch (area) {
    case "project":
      return [
        t("What is on this page?"),
        t("What’s overdue here?"),
        t("Create a task called “Call Anna” for tomorrow"),
      ];
    case "projects":
      return [t("Which projects are there?"), t("What’s overdue?"), make ?? t("What is due this week?")];
    case "notes":
      return [t("Which notes are there?"), t("What is on this page?"), t("What’s overdue?")];
    case "timeline":
      return [t("What is on this page?"), t("What’s overdue here?"), t("What is due this week?")];
    default:
      return [t("What is on this page?"), t("What’s overdue?"), make ?? t("What is due this week?")];
  }
}

export function areaOf(location: string): Area {
  const [, page = "", id] = location.split("/");
  if (page === "projects" && id !== undefined) {
    return "project";
  }
  return page === "projects" || page === "notes" || page === "timeline" || page === "settings" ? page : "tasks";
}
