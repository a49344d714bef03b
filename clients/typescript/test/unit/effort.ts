/** How hard tests try: with `./dev client --long`, as hard as `long` says. */
export function tries(usual: number, { long }: { long: number }): number {
  return process.env.ADIUVA_TEST_LONG === "1" ? long : usual;
}
