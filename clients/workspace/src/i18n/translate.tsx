/**
 * Texts in the user's language. The English text is the key: `t("Save")`, `t("Delete {name}?", { name })`,
 * `t("{count, plural, one {# task} other {# tasks}}", { count })`. A language is one file beside this one.
 */

import english from "virtual:english";
import { i18n } from "@lingui/core";
import { TransNoContext } from "@lingui/react/server";
import type { ReactElement } from "react";
import { isolated } from "./isolated";

export { msg } from "./msg";

export type Values = Readonly<Record<string, string | number>>;

// All that is more than words was compiled by `build.ts`.
i18n.setMessagesCompiler((words) => [words]);
i18n.loadAndActivate({ locale: "en", messages: english });

/** `text` in the user's language. Call it while drawing, so that a chosen language is used at once. */
export function t(text: string, values?: Values): string {
  return i18n._(text, values && allIsolated(values));
}

/** A text with elements in it: `<T text="Read <0>the page</0>." elements={[<a key="page" href="/" />]} />`. */
export function T({
  text,
  values = {},
  elements = [],
}: {
  text: string;
  values?: Values;
  elements?: readonly ReactElement[];
}) {
  return <TransNoContext id={text} values={allIsolated(values)} components={{ ...elements }} lingui={{ i18n }} />;
}

function allIsolated(values: Values): Record<string, string | number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, isolated(value)]));
}
