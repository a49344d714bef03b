/** Copies of the pictures of questions, in a folder that stands for OPFS. */
import { afterEach, expect, test, vi } from "vitest";
import { Pictures } from "../src/store/pictures";

afterEach(() => vi.unstubAllGlobals());

test("the oldest copies are deleted until the others fit", async () => {
  const files = new Map(
    [3, 1, 4, 2].map((age) => [`${age}.png`, { name: `${age}.png`, size: 10, lastModified: -age }]),
  );
  const folder = {
    getDirectoryHandle: async () => folder,
    removeEntry: async (name: string) => void files.delete(name),
    async *values() {
      for (const file of [...files.values()]) {
        yield { kind: "file", getFile: async () => file };
      }
    },
  };
  vi.stubGlobal("navigator", { storage: { getDirectory: async () => folder } });

  await new Pictures("alice", "asked").shrink(25);

  expect([...files.keys()].sort()).toEqual(["1.png", "2.png"]);
});
