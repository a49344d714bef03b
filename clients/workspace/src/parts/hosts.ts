/** Where a link leads, to be shown beside its words: these may be anything. Pure. */

const ADDRESS = /^mailto:([^?]*)/i;
const SCHEME = /^https?:\/\//i;

/** The host that `address` leads to, or the mail address; null if `words` begin with it, or it leads nowhere else. */
export function hostBeside(address: string, words: string): string | null {
  const mail = ADDRESS.exec(address)?.[1];
  if (mail !== undefined) {
    return mail === "" || mail === words.trim() ? null : mail;
  }
  const host = hostOf(address);
  const shown = words.trim().replace(SCHEME, "");
  return host === null || (shown.toLowerCase().startsWith(host) && /^$|[/?#]/.test(shown.charAt(host.length)))
    ? null
    : host;
}

/** As browsers read it: what looks like another host by letters of other scripts is `xn--…`. */
function hostOf(address: string): string | null {
  try {
    return SCHEME.test(address) ? new URL(address).host : null;
  } catch {
    return null;
  }
}
