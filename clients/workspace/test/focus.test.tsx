import { act, renderHook } from "@testing-library/react";
import { afterEach, beforeEach, expect, test } from "vitest";
import { useTask } from "../src/rpc/RpcProvider";

let button: HTMLButtonElement;

beforeEach(() => {
  button = document.body.appendChild(document.createElement("button"));
  button.focus();
});

afterEach(() => button.remove());

/** Runs a task, during which `happens` what a browser does, or the user. */
async function whileBusy(happens: () => void) {
  const { result } = renderHook(useTask);
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  act(() => void result.current.run(() => ended));
  expect(result.current.isBusy).toBe(true);
  happens();
  await act(async () => end());
  expect(result.current.isBusy).toBe(false);
}

test("a button that was disabled during its task has the focus again", async () => {
  await whileBusy(() => button.blur());
  expect(document.activeElement).toBe(button);
});

test("a focus that the user has moved meanwhile stays", async () => {
  const field = document.body.appendChild(document.createElement("input"));
  await whileBusy(() => field.focus());
  expect(document.activeElement).toBe(field);
  field.remove();
});

test("without the button the focus is nowhere", async () => {
  await whileBusy(() => button.remove());
  expect(document.activeElement).toBe(document.body);
});
