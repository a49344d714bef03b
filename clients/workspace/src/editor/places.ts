/** What is inserted once it is known, such as a picture that is being stored, while the user writes on. */
import { type ChangeDesc, type EditorState, StateEffect, StateField } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Names a place in one editor. */
export type Place = object;

const begun = StateEffect.define<readonly [place: Place, range: Range]>();
const ended = StateEffect.define<Place>();

/** The places that wait, where they are by now: an extension of the editor. */
export const waitingPlaces = StateField.define<ReadonlyMap<Place, Range>>({
  create: () => new Map(),
  update: (before, { changes, docChanged, effects }) => {
    const mine = effects.filter((effect) => effect.is(begun) || effect.is(ended));
    if (before.size + mine.length === 0) {
      return before;
    }
    const now = new Map([...before].map(([place, range]) => [place, docChanged ? moved(range, changes) : range]));
    for (const effect of mine) {
      if (effect.is(begun)) {
        now.set(...effect.value);
      } else if (effect.is(ended)) {
        now.delete(effect.value);
      }
    }
    return now;
  },
});

/** What is written at an end of the range stays outside, so that it is not replaced. */
function moved({ from, to }: Range, changes: ChangeDesc): Range {
  const start = changes.mapPos(from, from === to ? -1 : 1);
  return { from: start, to: from === to ? start : Math.max(start, changes.mapPos(to, -1)) };
}

/** The selection as it is now. */
export function beginPlace(view: EditorView): Place {
  const place = {};
  const { from, to } = view.state.selection.main;
  view.dispatch({ effects: begun.of([place, { from, to }]) });
  return place;
}

/** Replaces the place by `text`; null leaves it. `onChange` gets the text if the user has left the editor meanwhile. */
export function insertAt(place: Place, view: EditorView, text: string | null, onChange: (text: string) => void): void {
  const range = view.state.field(waitingPlaces).get(place);
  if (range === undefined || text === null) {
    view.dispatch({ effects: ended.of(place) });
    return;
  }
  const isLeft = !view.dom.isConnected;
  view.dispatch({
    changes: { ...range, insert: text },
    effects: ended.of(place),
    userEvent: "input.paste",
    // The cursor follows what is inserted, unless the user has put it elsewhere.
    ...(isSelected(view.state, range) && {
      selection: { anchor: range.from + view.state.toText(text).length },
      scrollIntoView: true,
    }),
  });
  if (isLeft) {
    // An editor that is gone tells no one.
    onChange(view.state.doc.toString());
  }
}

function isSelected({ selection: { main } }: EditorState, { from, to }: Range): boolean {
  return main.from === from && main.to === to;
}
