/** Where links of an answer may lead. Pure. */
const LINKED = /^(https?:|mailto:)/i;

/** The address, if a link may have it. */
export function outward(address: string): string {
  return LINKED.test(address) ? address : "";
}
