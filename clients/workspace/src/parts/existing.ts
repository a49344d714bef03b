/** Projects of rows. Pure. */

/** Gives the id if a project has it, else null: a row may be left of a project that the assistant has deleted. */
export function existing(projects: readonly { readonly id: string }[]): (id: string | null) => string | null {
  const ids = new Set(projects.map(({ id }) => id));
  return (id) => (id !== null && ids.has(id) ? id : null);
}
