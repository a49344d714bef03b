import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Account, ConnectionEnded, ConnectionFailed, Forgotten, Unauthorized } from "@adiuva/client";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import { render, waitFor } from "@testing-library/react";
import { afterEach, expect, test } from "vitest";
import { sentenceOf } from "../../typescript/src/client/closing";
import { textsIn, textsInSources } from "../src/i18n/build";
import { CLIENT_TEXTS, SERVER_TEXTS, tooManySaid } from "../src/i18n/client_texts";
import { listShown, numberShown } from "../src/i18n/formats";
import { withoutIsolates } from "../src/i18n/isolated";
import { applyLanguage, chooseLanguage, followLanguage, LANGUAGES, locale } from "../src/i18n/language";
import { T, t } from "../src/i18n/translate";
import { ask } from "../src/pages/settings/rest";
import { dayShown, momentShown } from "../src/parts/dates";
import { serverLanguage } from "../src/store/server_language";
import { ScriptedStore } from "./rpc";
import { untranslatedIn } from "./untranslated";

const FOLDER = path.resolve(import.meta.dirname, "../src/i18n");
const FILES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".json"))
  .map((name) => [name, JSON.parse(readFileSync(path.join(FOLDER, name), "utf8")) as Record<string, string>] as const);
const SOURCES = path.resolve(FOLDER, "..");
const BLANK = "This field may not be blank.";
const NOT_SHOWN = /^(dev\/|store\/(examples|device_name)\.ts|i18n\/build\.ts)/;
const NOW = new Date(2026, 10, 24, 12).getTime();

afterEach(() => chooseLanguage(null));

test("the texts of a file are found wherever they are marked", () => {
  const code = `
    const NAMES = [msg("One")];
    const said = t("Two {count}", { count }) + other("no") + t(name);
    const shown = <T text="Three <0>links</0>" elements={[]} />;
  `;
  expect(textsIn("file.tsx", code)).toEqual(["One", "Two {count}", "Three <0>links</0>"]);
});

test.each(FILES)("%s has every text and no other, with the same values", (_name, translations) => {
  const used = textsInSources();
  expect([...used].filter((text) => !translations[text])).toEqual([]);
  expect(Object.keys(translations).filter((text) => !used.has(text))).toEqual([]);
  for (const [text, translation] of Object.entries(translations)) {
    expect(valuesOf(translation), text).toEqual(valuesOf(text));
  }
  expect(Object.keys(translations)).toEqual(Object.keys(translations).sort());
});

test("a text that is given to nothing is found, and no other literal", () => {
  const code = `
    const NAMES = { one: "One of them", two: msg("Two of them"), key: "ArrowDown" };
    if (name === "") { throw new Error("There is no name."); }
    const shown = (
      <p className="small muted" title="Hint" aria-label={t("Said")} id="a">
        Read <b>{isNew ? "New" : t("Old")}</b> {count > 1 && \`\${count} more\`} Adiuva {name === "Anna" ? 1 : 2}
        <T text="Three <0>links</0>" elements={[]} />
      </p>
    );
  `;
  expect(untranslatedIn("file.tsx", code).sort()).toEqual(["Hint", "New", "One of them", "Read", "more"]);
});

test("the sources have no text that is not translated", () => {
  const found = sources().flatMap((name) =>
    untranslatedIn(name, readFileSync(path.join(SOURCES, name), "utf8")).map((text) => `${name}: ${text}`),
  );
  expect(found).toEqual([]);
});

test("the client’s own sentences have translations", () => {
  const known = new Set(CLIENT_TEXTS);
  const said = [new ConnectionFailed(), new Unauthorized(), new ConnectionEnded(), new Forgotten()];
  expect(said.map(({ message }) => message).filter((text) => !known.has(text))).toEqual([]);
  const closes = [undefined, 1009, 1012, 4400, 4401, 4403, 4408, 4409, 4413].map(sentenceOf);
  expect(closes.filter((text) => !known.has(text))).toEqual([]);
});

test("what the server says of a sign-in is in the chosen language", async () => {
  await chooseLanguage("it");
  const { rpc } = new ScriptedStore({
    signIn: (_email: string, said: string) => {
      throw new Error(said);
    },
  });

  for (const said of SERVER_TEXTS) {
    await expect(rpc.store.signIn("anna@example.com", said)).rejects.toThrow(t(said));
    expect(t(said)).not.toBe(said);
  }
});

test("what the server says in Settings is in the chosen language", async () => {
  await chooseLanguage("it");
  const said = async (status: number, body: object) => {
    const { rpc } = new ScriptedStore({ rest: () => ({ status, body }) });
    return await ask(rpc.store, "POST", "/api/v1/auth/password", {}).catch((error: Error) => error.message);
  };

  expect(await said(403, { code: "wrong_password", message: "The password is wrong." })).toBe(
    "La password è sbagliata.",
  );
  const details = { _: ["This password is too common.", "This password is entirely numeric."] };
  expect(await said(400, { code: "invalid", message: "The request is not valid.", details })).toBe(
    "Questa password è troppo comune. Questa password è fatta solo di cifre.",
  );
  const throttled = { code: "rate_limited", message: "Request was throttled. Expected available in 43200 seconds." };
  expect(await said(429, throttled)).toBe("Ci sono stati troppi tentativi: riprova fra 12 ore.");
  const named = { code: "invalid", message: "The request is not valid.", details: { name: [BLANK] } };
  expect(await said(400, named)).toBe("Questo campo non può essere vuoto.");
});

test("too many sign-ins are said in Italian", async () => {
  await chooseLanguage("it");
  const body = { code: "rate_limited", message: "Request was throttled. Expected available in 12 seconds." };
  const account = new Account({
    server: "https://adiuva.example",
    store: { load: async () => null, save: async () => undefined },
    fetch: async () => ({ ok: false, status: 429, json: async () => body }),
  });
  const { rpc } = new ScriptedStore({ signIn: () => account.signIn("alice@example.com", "secret") });

  await expect(rpc.store.signIn("alice@example.com", "secret")).rejects.toThrow(
    "Ci sono stati troppi tentativi: riprova fra 12 secondi.",
  );
});

test.each([
  ["Expected available in 1 second.", "Ci sono stati troppi tentativi: riprova fra 1 secondo."],
  ["Expected available in 89 seconds.", "Ci sono stati troppi tentativi: riprova fra 89 secondi."],
  ["Expected available in 90 seconds.", "Ci sono stati troppi tentativi: riprova fra 2 minuti."],
  ["Expected available in 5400 seconds.", "Ci sono stati troppi tentativi: riprova fra 2 ore."],
  ["Request was throttled.", "Ci sono stati troppi tentativi: riprova più tardi."],
])("of “%s” the wait is said", async (sentence, said) => {
  await chooseLanguage("it");
  const { message, values } = tooManySaid(sentence);
  expect(t(message, values)).toBe(said);
});

test("an answer of a proxy without words is said in Italian", async () => {
  await chooseLanguage("it");
  const account = new Account({
    server: "https://adiuva.example",
    store: { load: async () => null, save: async () => undefined },
    fetch: async () => ({ ok: false, status: 502, json: () => Promise.reject(new SyntaxError("not JSON")) }),
  });
  const { rpc } = new ScriptedStore({ signIn: () => account.signIn("alice@example.com", "secret") });

  await expect(rpc.store.signIn("alice@example.com", "secret")).rejects.toThrow("Al momento il server ha un problema.");
});

test("texts, dates, numbers and the page have the chosen language", async () => {
  expect(LANGUAGES).toEqual(["en", "it"]);
  await chooseLanguage("it");

  expect(document.documentElement.lang).toBe("it");
  expect([t("Sign in"), t("Password, at least {count} characters", { count: 10 })]).toEqual([
    "Accedi",
    "Password, almeno 10 caratteri",
  ]);
  expect([dayShown(NOW, NOW), momentShown(NOW - 5 * 86_400_000, NOW)]).toEqual(["Oggi", "19 nov, 12:00"]);
  expect([numberShown(12_345.5), listShown(["a", "b", "c"])]).toEqual(["12.345,5", "a, b e c"]);

  await chooseLanguage("en");
  expect([document.documentElement.lang, t("Sign in"), dayShown(NOW, NOW)]).toEqual(["en", "Sign in", "Today"]);
});

test("what is chosen in another tab is shown at once", async () => {
  followLanguage();
  localStorage.setItem("language", "it");
  dispatchEvent(new StorageEvent("storage", { key: "language" }));
  await waitFor(() => expect([document.documentElement.lang, t("Sign in")]).toEqual(["it", "Accedi"]));

  localStorage.clear();
  dispatchEvent(new StorageEvent("storage", { key: null }));
  await waitFor(() => expect(t("Sign in")).toBe("Sign in"));
});

test("of two choices the later one counts, although the first takes longer to load", async () => {
  await Promise.all([chooseLanguage("it"), chooseLanguage("en")]);
  expect([document.documentElement.lang, t("Sign in")]).toEqual(["en", "Sign in"]);
});

test("a value that is written from right to left is isolated from its sentence, and no other is", () => {
  const title = "\u05d7\u05dc\u05d1 (2)";
  expect(t("Done: {title}", { title })).toBe(`Done: \u2068${title}\u2069`);
  expect(t("Done: {title}", { title: "Café – 2" })).toBe("Done: Café – 2");
  expect(listShown([title, "milk"])).toBe(`\u2068${title}\u2069 and milk`);
  const turned = "\u202ecod.exe";
  const about = <T text="About <0>{name}</0>." values={{ name: turned }} elements={[<b key="name" />]} />;
  expect(render(about).container.innerHTML).toBe(`About <b>\u2068${turned}\u2069</b>.`);
  expect(withoutIsolates(t("Done: {title}", { title }))).toBe(`Done: ${title}`);
});

test("a text without a translation is English", () => {
  expect(t("No such text.")).toBe("No such text.");
});

test("the browser’s languages decide until the user does", async () => {
  await preferring(["de", "it-CH", "en-US"], async () => {
    expect([document.documentElement.lang, locale(), serverLanguage(null)]).toEqual(["it", "it-CH", "it"]);
    await chooseLanguage("en");
    expect([locale(), serverLanguage("en")]).toEqual(["en-US", "en"]);
  });
  await preferring(["de"], async () => {
    expect([document.documentElement.lang, locale(), serverLanguage(null)]).toEqual(["en", "en-GB", "en"]);
  });
});

test("elements stay in a translated text where the translation has them", async () => {
  await chooseLanguage("it");
  const { container } = render(<T text="No account yet? <0>Make one</0>" elements={[<strong key="up" />]} />);
  expect(container.innerHTML).toBe("Non hai ancora un account? <strong>Creane uno</strong>");
});

/** Without what users never see: examples of data, and the page of all parts for developers. */
function sources(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: "utf8" });
  return names.filter((name) => /\.tsx?$/.test(name) && !NOT_SHOWN.test(name));
}

/** The names of the values in a text, and its elements. */
function valuesOf(text: string): string[] {
  const names = new Set<string>(text.match(/<\/?\d+\/?>/g) ?? []);
  const collect = (tokens: unknown) => {
    for (const token of Array.isArray(tokens) ? tokens : []) {
      if (Array.isArray(token)) {
        names.add(String(token[0]));
        for (const inner of Object.values((token[2] as object | undefined) ?? {})) {
          collect(inner);
        }
      }
    }
  };
  collect(compileMessageOrThrow(text));
  return [...names].sort();
}

async function preferring(languages: readonly string[], act: () => Promise<void>): Promise<void> {
  const before = Object.getOwnPropertyDescriptor(navigator, "languages");
  Object.defineProperty(navigator, "languages", { configurable: true, value: languages });
  await chooseLanguage(null);
  try {
    await act();
  } finally {
    if (before === undefined) {
      Reflect.deleteProperty(navigator, "languages");
    } else {
      Object.defineProperty(navigator, "languages", before);
    }
    await applyLanguage();
  }
}
