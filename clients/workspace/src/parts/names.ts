/** People, as tasks name them. Pure. */

/** The names in a JSON array; empty if it is none. */
export function namesOf(assignee: string | null): string[] {
  try {
    const names: unknown = JSON.parse(assignee ?? "[]");
    return Array.isArray(names) ? names.map(String) : [];
  } catch {
    return [];
  }
}
