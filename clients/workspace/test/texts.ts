/** The texts in the sources: what is given to `t`, `msg` and `T`. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { type ESTree, parseSync, Visitor } from "vite";

const SOURCES = path.resolve(import.meta.dirname, "../src");
const MARKING = new Set(["t", "msg"]);

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
