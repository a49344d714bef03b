/** The language of what the server itself says, such as its questions: the first of the browser’s that it has. */
export function serverLanguage(): string {
  const codes = navigator.languages.map((tag) => tag.split("-", 1)[0]?.toLowerCase());
  return codes.find((code) => code === "en" || code === "it") ?? "en";
}
