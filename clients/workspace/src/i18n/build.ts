/** At build time: finds the texts in the sources and compiles them, so that the page needs no parser for ICU's syntax. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { compileMessageOrThrow } from "@lingui/message-utils/compileMessage";
import { type ESTree, type Plugin, parseSync, Visitor } from "vite";

const SOURCES = path.resolve(import.meta.dirname, "..");
const MARKING = new Set(["t", "msg"]);
/** The English texts that are more than words. */
const VIRTUAL = "virtual:english";
const LANGUAGE = /\/i18n\/[a-z]+\.json$/;

/** The texts that are given to `t`, `msg` and `T`. */
export function textsIn(file: string, code: string): string[] {
  const texts: string[] = [];
  const take = (node: ESTree.Node | null | undefined) => {
    if (node?.type === "Literal" && typeof node.value === "string") {
      texts.push(node.value);
    }
  };
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === "Identifier" && MARKING.has(callee.name)) {
        take(first);
      }
    },
    JSXOpeningElement({ name, attributes }) {
      if (name.type === "JSXIdentifier" && name.name === "T") {
        for (const attribute of attributes) {
          if (attribute.type === "JSXAttribute" && attribute.name.name === "text") {
            take(attribute.value);
          }
        }
      }
    },
  }).visit(parseSync(file, code).program);
  return texts;
}

export function textsInSources(): Set<string> {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  return new Set(files.flatMap((name) => textsIn(name, readFileSync(path.join(SOURCES, name), "utf8"))));
}

export function compiledTexts(): Plugin {
  return {
    name: "compiled-texts",
    enforce: "pre",
    resolveId: (id) => (id === VIRTUAL ? `\0${VIRTUAL}` : null),
    load(id) {
      if (id !== `\0${VIRTUAL}`) {
        return null;
      }
      return `export default ${compiled([...textsInSources()].sort().map((text) => [text, text]))}`;
    },
    transform(code, id) {
      return LANGUAGE.test(id) ? { code: compiled(Object.entries(JSON.parse(code))), map: null } : null;
    },
  };
}

/** Words stay as they are, and English words need no translation. */
function compiled(texts: readonly (readonly [text: string, translation: string])[]): string {
  const messages = texts
    .map(([text, translation]) => [text, compileMessageOrThrow(translation)] as const)
    .filter(([text, message]) => message.length !== 1 || message[0] !== text)
    .map(([text, message]) => [text, message.length === 1 && typeof message[0] === "string" ? message[0] : message]);
  return JSON.stringify(Object.fromEntries(messages));
}
