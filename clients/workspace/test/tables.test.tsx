import type { Change } from "@adiuva/client/database";
import { act, render, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { useTable } from "../src/rpc/tables";
import { ONLINE, ScriptedStore } from "./rpc";

function Titles() {
  const rows = useTable("tasks");
  return <output>{rows === null ? "loading" : rows.map(({ title }) => title).join(", ")}</output>;
}

function batch(size: number): Change[] {
  return Array.from(
    { length: size },
    (_none, index) => ({ table: "tasks", id: `${index}`, effect: "inserted" }) as never,
  );
}

test("many changes while all rows are read make for one more read", async () => {
  const answers: ((rows: unknown) => void)[] = [];
  const store = new ScriptedStore({ select: () => new Promise((resolve) => answers.push(resolve)) });
  store.tell({ type: "snapshot", snapshot: ONLINE });
  await waitFor(() => expect(store.rpc.snapshot.account.at).toBe("signed-in"));
  render(
    <RpcProvider rpc={store.rpc}>
      <Titles />
    </RpcProvider>,
  );
  await waitFor(() => expect(answers.length).toBeGreaterThan(0));
  const asked = answers.length;

  await act(async () => {
    for (let time = 0; time < 5; time++) {
      store.tell({ type: "change", changes: batch(50) });
    }
  });
  expect(answers.length).toBe(asked);
  await act(async () => answers.at(-1)?.([{ id: "a", title: "Call Anna" }]));
  await waitFor(() => expect(screen.getByRole("status").textContent).toBe("Call Anna"));
  await waitFor(() => expect(answers.length).toBe(asked + 1));
  await act(async () => answers.at(-1)?.([{ id: "b", title: "Call Ben" }]));
  await waitFor(() => expect(screen.getByRole("status").textContent).toBe("Call Ben"));
  expect(answers.length).toBe(asked + 1);
});
