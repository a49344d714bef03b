/** What people call this browser: `Chrome on Mac`. */

interface Hints {
  readonly brands: readonly { readonly brand: string }[];
}

/** The first that fits: other browsers' names contain those of Chrome and Safari. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg(e|A|iOS)?\//, "Edge"],
  [/OPR\/|Opera/, "Opera"],
  [/Vivaldi/, "Vivaldi"],
  [/SamsungBrowser/, "Samsung Internet"],
  [/Firefox|FxiOS/, "Firefox"],
  [/Chrome|CriOS|Chromium/, "Chrome"],
  [/Safari/, "Safari"],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/iPhone/, "iPhone"],
  [/iPad/, "iPad"],
  [/Android/, "Android"],
  [/Mac/, "Mac"],
  [/Windows/, "Windows"],
  [/CrOS/, "Chromebook"],
  [/Linux/, "Linux"],
];

export function deviceName({ userAgent, userAgentData }: NavigatorHints = navigator as NavigatorHints): string {
  const isBrave = userAgentData?.brands.some(({ brand }) => brand === "Brave") ?? false;
  const browser = isBrave ? "Brave" : nameIn(BROWSERS, userAgent);
  const system = nameIn(SYSTEMS, userAgent);
  return system === undefined ? (browser ?? "web") : `${browser ?? "Browser"} on ${system}`;
}

interface NavigatorHints {
  readonly userAgent: string;
  readonly userAgentData?: Hints;
}

function nameIn(names: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return names.find(([pattern]) => pattern.test(text))?.[1];
}
