import { act, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LongList } from "../src/parts/LongList";
import { Scroller } from "../src/parts/Scroller";

/** Sizes of the scrolling element, as there is no layout here. */
const HEIGHT = 500;
const WIDTH = 300;

beforeEach(() => {
  vi.spyOn(HTMLElement.prototype, "clientHeight", "get").mockReturnValue(HEIGHT);
  vi.spyOn(HTMLElement.prototype, "clientWidth", "get").mockReturnValue(WIDTH);
});

afterEach(() => {
  vi.restoreAllMocks();
});

const MANY = Array.from({ length: 10_000 }, (_none, index) => ({ id: `${index}` }));

function list(items: readonly { id: string }[], columnPx?: number, heightPx = 50) {
  const columns = columnPx === undefined ? {} : { columnPx };
  return (
    <LongList label="Numbers" items={items} heightOf={() => heightPx} {...columns}>
      {({ id }) => <button type="button">{id}</button>}
    </LongList>
  );
}

function scrolling(content: React.ReactNode) {
  return (
    <Scroller>
      {(ref) => (
        <div data-testid="scroller" ref={ref}>
          {content}
        </div>
      )}
    </Scroller>
  );
}

const numbers = () => screen.getAllByRole("button").map((each) => Number(each.textContent));

test("of many items the visible ones are drawn, and others after scrolling to them", () => {
  render(scrolling(list(MANY)));
  expect(screen.getByRole("list", { name: "Numbers" }).style.height).toBe("500000px");
  expect(numbers()[0]).toBe(0);
  expect(numbers().length).toBeLessThan(60);

  const scroller = screen.getByTestId("scroller");
  vi.spyOn(screen.getByRole("list"), "getBoundingClientRect").mockImplementation(
    () => new DOMRect(0, -scroller.scrollTop, WIDTH, HEIGHT),
  );
  act(() => {
    scroller.scrollTop = 250_000;
    scroller.dispatchEvent(new Event("scroll"));
  });
  expect(numbers()).toContain(5000);
  expect(numbers()).not.toContain(0);
  const shown = screen.getByText("5000").closest("li");
  expect([shown?.getAttribute("aria-posinset"), shown?.getAttribute("aria-setsize")]).toEqual(["5001", "10000"]);
});

test("there are as many columns as have room", () => {
  render(scrolling(list(MANY, 100)));

  expect(screen.getByRole("list").style.height).toBe(`${Math.ceil(MANY.length / 3) * 50}px`);
  expect(screen.getByText("2").closest("li")?.style.transform).toBe("translate(200px, 0px)");
  expect(screen.getByText("3").closest("li")?.style.transform).toBe("translate(0px, 50px)");
});

test("replaced items are measured again", () => {
  const { rerender } = render(scrolling(list(MANY.slice(0, 10))));
  rerender(scrolling(list(MANY.slice(0, 10).reverse(), undefined, 80)));

  expect(screen.getByRole("list").style.height).toBe("800px");
});

test("where nothing scrolls all items are drawn", () => {
  render(list(MANY.slice(0, 100)));

  expect(numbers()).toHaveLength(100);
});

test("on paper all items are drawn, and afterwards the visible ones", () => {
  render(scrolling(list(MANY.slice(0, 500))));
  const before = numbers().length;
  expect(before).toBeLessThan(60);

  dispatchEvent(new Event("beforeprint"));
  expect(numbers()).toHaveLength(500);
  act(() => void dispatchEvent(new Event("afterprint")));
  expect(numbers()).toHaveLength(before);
});
