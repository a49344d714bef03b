/** Suggestions for a page: three sentences that work there, also with the offline assistant. Pure. */

export type Area = "tasks" | "projects" | "project" | "notes" | "timeline" | "settings";
export type Three = readonly [string, string, string];

/** `project` is the name of an existing project: a task that is created on a page of many needs one. */
export function suggestionsFor(area: Area, project: string | null): Three {
  const make = project === null ? null : `Create a task called “Call Anna” in project “${project}”`;
  switch (area) {
    case "project":
      return ["What is on this page?", "What’s overdue here?", "Create a task called “Call Anna” for tomorrow"];
    case "projects":
      return ["Which projects are there?", "What’s overdue?", make ?? "What is due this week?"];
    case "notes":
      return ["Which notes are there?", "What is on this page?", "What’s overdue?"];
    case "timeline":
      return ["What is on this page?", "What’s overdue here?", "What is due this week?"];
    default:
      return ["What is on this page?", "What’s overdue?", make ?? "What is due this week?"];
  }
}

export function areaOf(location: string): Area {
  const [, page = "", id] = location.split("/");
  if (page === "projects" && id !== undefined) {
    return "project";
  }
  return page === "projects" || page === "notes" || page === "timeline" || page === "settings" ? page : "tasks";
}
