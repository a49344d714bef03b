import { EditorView } from "@codemirror/view";
import { render } from "@testing-library/react";
import { expect, test } from "vitest";
import { MarkdownEditor } from "../src/editor/MarkdownEditor";

function shown(text: string, revision: number, written: string[], isFocused = false) {
  return (
    <MarkdownEditor
      label="Text"
      text={text}
      revision={revision}
      isFocused={isFocused}
      onChange={(now) => written.push(now)}
      titles={() => []}
      savePicture={async () => null}
      open={() => undefined}
      picture={async () => null}
    />
  );
}

function viewIn(container: HTMLElement): EditorView {
  const root = container.querySelector("[data-editor]")?.shadowRoot;
  return EditorView.findFromDOM(root?.querySelector(".cm-content") as HTMLElement) as EditorView;
}

test("an older text that comes back from the page takes nothing from what is written", () => {
  const written: string[] = [];
  const { container, rerender } = render(shown("milk", 0, written));
  const view = viewIn(container);
  for (const insert of ["a", "b"]) {
    view.dispatch({ changes: { from: view.state.doc.length, insert } });
  }
  rerender(shown("milka", 0, written));
  expect(view.state.doc.toString()).toBe("milkab");
  // Back to what the page last knew is a change, too.
  view.dispatch({ changes: { from: 5, to: 6 } });
  expect(written).toEqual(["milka", "milkab", "milka"]);
});

test("a text from elsewhere is shown at once, and is not written back", () => {
  const written: string[] = [];
  const { container, rerender } = render(shown("milk", 0, written));
  rerender(shown("oat milk", 1, written));
  expect([viewIn(container).state.doc.toString(), written]).toEqual(["oat milk", []]);
});

test("the editor takes the focus in a new note, but not from one who writes the title", () => {
  const { container, getByRole } = render(
    <>
      <input />
      {shown("", 0, [], true)}
    </>,
  );
  expect(viewIn(container).hasFocus).toBe(true);
  getByRole("textbox").focus();
  render(shown("", 0, [], true));
  expect(document.activeElement).toBe(getByRole("textbox"));
});

test("a picture has the width that its text says, and an embed without its file is text", async () => {
  const { container } = render(shown("\n![the pond|300](attachment:p1.png)\n![[gone.png|300]] [[Pond]]", 0, []));
  const { dom } = viewIn(container);
  const image = dom.querySelector<HTMLImageElement>(".cm-picture");
  expect([image?.alt, image?.getAttribute("width")]).toEqual(["the pond", "300"]);
  expect([...dom.querySelectorAll<HTMLElement>("[data-note]")].map(({ dataset }) => dataset.note)).toEqual(["Pond"]);
});

test("behind a link that is not being written is the host that it leads to, where its words are others", () => {
  const text =
    "\n[report](https://evil.example/?q=a) [a.example](https://a.example/b) https://b.example [[Pond]] [x](y)";
  const { dom } = viewIn(render(shown(text, 0, [])).container);

  expect(dom.querySelectorAll("[data-address]")).toHaveLength(3);
  expect([...dom.querySelectorAll(".cm-host")].map(({ textContent }) => textContent)).toEqual(["(evil.example)"]);
});
