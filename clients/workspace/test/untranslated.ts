/** Finds what a user would read in the sources that is not given to `t`, `msg` or `T`. */
import { type ESTree, parseSync, Visitor } from "vite";

type Literal = ESTree.Node & { readonly value: string };

/** Attributes of elements that users see or hear. */
const SAID = new Set(["title", "alt", "placeholder", "label", "aria-label", "aria-roledescription", "aria-valuetext"]);
/** A capital letter and another word: not an identifier, a key or the name of a class. */
const SENTENCE = /^[“(]?\p{Lu}(\p{Ll}[\p{L}’]*)?[,:]?\s+\p{L}/u;
const HAS_LETTER = /\p{L}/u;
/** The same in every language. */
const NAMES = new Set([
  "Adiuva",
  "Adiuva:",
  "Ctrl K",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "Claude Code",
  "Claude Desktop",
  "VS Code",
]);

export function untranslatedIn(file: string, code: string): string[] {
  const found = new Map<number, string>();
  const passed = new Set<number>();
  const pass = (node: ESTree.Node | null | undefined) => node && passed.add(node.start);
  const take = (node: ESTree.Node, text: string) => found.set(node.start, text.trim().replace(/\s+/g, " "));
  /** The literals that an expression may have as its value. */
  const takeValues = (node: ESTree.Node | null | undefined): void => {
    if (node?.type === "ConditionalExpression") {
      takeValues(node.consequent);
      takeValues(node.alternate);
    } else if (node?.type === "LogicalExpression") {
      takeValues(node.right);
    } else if (node?.type === "TemplateLiteral") {
      const words = node.quasis.map(({ value }) => value.cooked ?? "").join(" ");
      if (HAS_LETTER.test(words)) {
        take(node, words);
      }
    } else if (isText(node) && HAS_LETTER.test(node.value)) {
      take(node, node.value);
    }
  };
  new Visitor({
    CallExpression({ callee, arguments: [first] }) {
      if (callee.type === "Identifier" && (callee.name === "t" || callee.name === "msg")) {
        pass(first);
      }
    },
    ThrowStatement({ argument }) {
      if (argument.type === "NewExpression") {
        argument.arguments.forEach(pass);
      }
    },
    Literal(node) {
      if (isText(node) && SENTENCE.test(node.value)) {
        take(node, node.value);
      }
    },
    JSXText(node) {
      if (HAS_LETTER.test(node.value)) {
        take(node, node.value);
      }
    },
    JSXElement({ children }) {
      for (const child of children) {
        if (child.type === "JSXExpressionContainer") {
          takeValues(child.expression);
        }
      }
    },
    JSXAttribute({ name, value }) {
      const attribute = name.type === "JSXIdentifier" ? name.name : "";
      if (attribute === "text") {
        pass(value);
      } else if (SAID.has(attribute)) {
        takeValues(value?.type === "JSXExpressionContainer" ? value.expression : value);
      }
    },
  }).visit(parseSync(file, code).program);
  return [...found].filter(([at, text]) => !passed.has(at) && !NAMES.has(text)).map(([, text]) => text);
}

function isText(node: ESTree.Node | null | undefined): node is Literal {
  return node?.type === "Literal" && typeof node.value === "string";
}
