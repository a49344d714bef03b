/** How long the browser has to start a download, in milliseconds. */
const BEGINNING_MS = 60_000;

/** Lets the browser save `file` as `name`. */
export function save(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), BEGINNING_MS);
}
