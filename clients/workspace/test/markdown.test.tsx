import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { outward } from "../src/chat/links";
import Markdown from "../src/chat/Rendered";

function drawn(text: string): HTMLElement {
  return render(<Markdown text={text} />).container;
}

test("Markdown is rendered", () => {
  const page = drawn("**bold** and `code`\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |");

  expect(page.querySelector("strong")?.textContent).toBe("bold");
  expect(page.querySelectorAll("li")).toHaveLength(2);
  expect(page.querySelectorAll("td")).toHaveLength(2);
});

test.each([
  "<script>alert(1)</script>",
  '<img src="x" onerror="alert(1)">',
  '<iframe src="https://evil.example"></iframe>',
  '<a href="javascript:alert(1)">x</a>',
  "<style>body{display:none}</style>",
  '<svg onload="alert(1)"></svg>',
])("tags stay text: %s", (html) => {
  const page = drawn(`before\n\n${html}\n\nafter ${html}`);

  expect(page.querySelector("script, img, iframe, style, svg, object, form, a[href]")).toBeNull();
  expect(page.innerHTML).not.toMatch(/<[^>]+\son\w+=/);
  expect(page.textContent).toContain(html);
});

test.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  "java\nscript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "vbscript:x",
  "file:///etc/passwd",
  "//evil.example",
  "/app/settings",
  "blob:x",
  " javascript:alert(1)",
])("no link leads to %s", (address) => {
  expect(outward(address)).toBe("");
  expect(drawn(`[x](<${address.replace("\n", "&#10;")}>)`).querySelector("a[href]")).toBeNull();
});

test("a link leads to the web, and tells it nothing", () => {
  const link = drawn("[x](https://example.com/a) and me@example.com").querySelector("a");

  expect(link?.getAttribute("href")).toBe("https://example.com/a");
  expect(link?.getAttribute("rel")).toContain("noopener noreferrer");
});

test.each([
  ["[report](https://evil.example/?q=Contract)", "report(evil.example)"],
  ["[https://bank.example](https://evil.example)", "https://bank.example(evil.example)"],
  ["[bank.example](https://bank.example.evil.example)", "bank.example(bank.example.evil.example)"],
  ["[bank.example](https://bank.example@evil.example)", "bank.example(evil.example)"],
  ["[**bank.example**](https://bank.example/a)", "bank.example"],
  ["[bank](https://bаnk.example)", "bank(xn--bnk-6cd.example)"],
  ["[bank](HTTPS://Bank.Example:8443/a)", "bank(bank.example:8443)"],
  ["https://bank.example/a?b", "https://bank.example/a?b"],
  ["www.bank.example/a", "www.bank.example/a"],
  ["me@bank.example", "me@bank.example"],
  ["[write](mailto:me@bank.example?subject=a)", "write(me@bank.example)"],
  ["![a cat](https://evil.example/cat.png?secret)", "a cat(evil.example)"],
  ["[page](/app/settings)", "page"],
])("beside a link is the host that it leads to, unless its words are that: %s", (text, shown) => {
  const page = drawn(text);

  expect(page.textContent).toBe(shown);
  const described = page.querySelector("a")?.getAttribute("aria-describedby") ?? null;
  expect(described !== null).toBe(page.querySelector(".host") !== null);
});

test("a picture is a link, so that no server is asked for it", () => {
  const page = drawn("![a cat](https://evil.example/cat.png?secret) ![x](data:image/png;base64,AAAA)");

  expect(page.querySelector("img")).toBeNull();
  expect(page.querySelector("a")?.textContent).toBe("a cat");
});
