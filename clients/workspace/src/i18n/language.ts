/**
 * Which language the texts have: the one that the user chose in this browser, else the first of the browser’s that
 * exists.
 */

import english from "virtual:english";
import { i18n, type Messages } from "@lingui/core";
import { useSyncExternalStore } from "react";
import { keep } from "../parts/kept";

/** Dates and numbers of English, unless the browser prefers those of another country. */
const ENGLISH = "en-GB";
const KEPT = "language";

const files = import.meta.glob<{ default: Messages }>("./*.json");

/** The codes of all languages: English and one for each file. */
export const LANGUAGES: readonly string[] = ["en", ...Object.keys(files).map((path) => path.slice(2, -".json".length))];

/** Null if the browser decides. */
export function chosenLanguage(): string | null {
  const kept = localStorage.getItem(KEPT);
  return kept !== null && LANGUAGES.includes(kept) ? kept : null;
}

/** Shows all texts in `language`; null leaves it to the browser. False if the browser has no room to keep it. */
export async function chooseLanguage(language: string | null): Promise<boolean> {
  const isKept = keep(localStorage, KEPT, language);
  await applyLanguage();
  return isKept;
}

/** Loads the language's texts. Call it before the first text is shown. */
export async function applyLanguage(): Promise<void> {
  const language = currentLanguage();
  const messages = (await files[`./${language}.json`]?.())?.default ?? english;
  if (language !== currentLanguage()) {
    // Chosen meanwhile, and perhaps loaded sooner.
    return;
  }
  i18n.loadAndActivate({ locale: language, locales: [localeOf(language)], messages });
  document.documentElement.lang = language;
}

/** Applies the choice that is made in another tab. */
export function followLanguage(): void {
  addEventListener("storage", ({ key }) => {
    // Null if everything was removed.
    if (key === KEPT || key === null) {
      void applyLanguage().catch(() => undefined);
    }
  });
}

/** The language's code; a component that calls it is drawn again after a change. */
export function useLanguage(): string {
  return useSyncExternalStore(
    (changed) => i18n.on("change", changed),
    () => i18n.locale,
  );
}

/** A language in its own words: `italiano`. */
export function languageShown(language: string): string {
  return new Intl.DisplayNames(language, { type: "language" }).of(language) ?? language;
}

/** What `Intl` takes: the language as in the country that the browser prefers, such as `it-CH`. */
export function locale(): string {
  return i18n.locales?.[0] ?? ENGLISH;
}

/** The code of the language in which texts are shown. */
export function currentLanguage(): string {
  return chosenLanguage() ?? ofBrowser();
}

function ofBrowser(): string {
  return navigator.languages.map(codeOf).find((code) => LANGUAGES.includes(code)) ?? "en";
}

function localeOf(language: string): string {
  const preferred = navigator.languages.find((each) => codeOf(each) === language && each !== language);
  return preferred ?? (language === "en" ? ENGLISH : language);
}

function codeOf(tag: string): string {
  return tag.split("-", 1)[0]?.toLowerCase() ?? "";
}
