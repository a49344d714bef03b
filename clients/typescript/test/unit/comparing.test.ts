/** Text folding for comparison, and values quoted in errors. */
import { expect, test } from "vitest";
import { fold, folded } from "../../src/executor/folding.js";
import { shown } from "../../src/executor/values.js";
import { newUuid } from "../../src/index.js";

test.each([
  ["MILK", "milk"],
  ["Straße", "STRASSE"],
  ["Straße", "STRAẞE"],
  ["Cafe\u0301", "CAFÉ"],
  ["ΟΔΟΣ", "οδος"],
  ["ΟΔΟΣ ", "οδοσ "],
  ["İ", "i\u0307"],
])("%s is %s", (one, other) => {
  expect(fold(one)).toBe(fold(other));
});

test("the dotless i is another letter", () => {
  expect(fold("ı")).not.toBe(fold("i"));
  expect(folded(null)).toBeNull();
});

test.each([
  [null, "null"],
  [undefined, "null"],
  [{ a: [1, "é"], b: true }, '{"a": [1, "\\u00e9"], "b": true}'],
  ["x".repeat(70), `"${"x".repeat(59)}…`],
])("%j is shown as %s", (value, text) => {
  expect(shown(value)).toBe(text);
});

test("ids are UUIDs of version 4, each another one", () => {
  const ids = Array.from({ length: 50 }, newUuid);

  expect(new Set(ids).size).toBe(50);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});
