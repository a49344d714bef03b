/** How long the browser has to start a download, in milliseconds. */
const BEGINNING_MS = 60_000;

/** Hands a file to the user as a download. */
export function saveFile(file: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), BEGINNING_MS);
}
