/** Folders that the user picks, where the browser gives access to them (File System Access, in Chromium). */

type PickFolder = (options: { id: string; mode: "readwrite" }) => Promise<FileSystemDirectoryHandle>;

/** Asks for a folder to write into; undefined in browsers that cannot. `id` is what the browser remembers it by. */
export function folderPicker(): ((id: string) => Promise<FileSystemDirectoryHandle | undefined>) | undefined {
  const pick = (window as { showDirectoryPicker?: PickFolder }).showDirectoryPicker;
  return pick && ((id) => picked(pick, id));
}

/** Undefined if the user has chosen none. */
async function picked(pick: PickFolder, id: string): Promise<FileSystemDirectoryHandle | undefined> {
  return await pick({ id, mode: "readwrite" }).catch((error: unknown) => {
    if (error instanceof DOMException && error.name === "AbortError") {
      return undefined;
    }
    throw error;
  });
}

/** Writes a file below `folder`, with the folders of its path. */
export async function writeInto(folder: FileSystemDirectoryHandle, path: string, content: Blob): Promise<void> {
  const parts = path.split("/");
  const name = parts.pop() as string;
  let inner = folder;
  for (const part of parts) {
    inner = await inner.getDirectoryHandle(part, { create: true });
  }
  const file = await (await inner.getFileHandle(name, { create: true })).createWritable();
  await file.write(content);
  await file.close();
}
