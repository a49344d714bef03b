import { act, renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { usePictures } from "../src/chat/usePictures";
import type { Snapshot } from "../src/rpc/messages";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ONLINE, ScriptedStore } from "./rpc";

const CONNECTING: Snapshot = { ...ONLINE, connection: { at: "connecting", isFirst: false } };
const PICTURE = new File(["p"], "p.png", { type: "image/png" });
const SEEING: Snapshot["models"] = [{ name: "large", display_name: "Large", default: true, images: true }];

async function chosenWhileConnecting() {
  const store = new ScriptedStore({ upload: () => "i1" });
  const wrapper = ({ children }: { children: ReactNode }) => <RpcProvider rpc={store.rpc}>{children}</RpcProvider>;
  const { result } = renderHook(usePictures, { wrapper });
  store.tell({ type: "snapshot", snapshot: CONNECTING });
  await waitFor(() => expect(store.rpc.snapshot.connection.at).toBe("connecting"));
  act(() => result.current.add([PICTURE]));
  expect([result.current.problem, result.current.isBusy]).toEqual(["", true]);
  return { store, result };
}

test("a picture that is chosen while the connection is made goes along once it is there", async () => {
  const { store, result } = await chosenWhileConnecting();
  store.tell({ type: "snapshot", snapshot: { ...ONLINE, models: SEEING } });
  await waitFor(() => expect(result.current.chosen.map(({ id }) => id)).toEqual(["i1"]));
  expect(result.current.isBusy).toBe(false);
});

test.each([
  [ONLINE, "The model that answers here sees no pictures."],
  [
    { ...ONLINE, connection: { at: "waiting" } } as Snapshot,
    "A picture needs a connection: it is given to the server first.",
  ],
])("or it is said why it does not", async (snapshot, problem) => {
  const { store, result } = await chosenWhileConnecting();
  store.tell({ type: "snapshot", snapshot });
  await waitFor(() => expect(result.current.problem).toBe(problem));
  expect([result.current.chosen, result.current.isBusy]).toEqual([[], false]);
});
