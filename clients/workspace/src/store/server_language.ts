/**
 * The language of what the server itself says, such as its questions: that of the pages, if the user has `chosen` one,
 * else the first of the browser’s that it has.
 */
export function serverLanguage(chosen: string | null): string {
  const tags = chosen === null ? navigator.languages : [chosen];
  const codes = tags.map((tag) => tag.split("-", 1)[0]?.toLowerCase());
  return codes.find((code) => code === "en" || code === "it") ?? "en";
}
