/** The pickers, which are fetched when one is opened first: the page does not need them before. */
import { lazy, Suspense } from "react";
import { t } from "../i18n/translate";
import { Popover } from "../parts/Popover";
import { Unfetched } from "../parts/Unfetched";
import type { Choice } from "./ChoiceList";

const LazyDate = lazy(() => import("./DatePicker").then(({ DatePicker }) => ({ default: DatePicker }), unfetched));
const LazyChoices = lazy(() => import("./ChoiceList").then(({ ChoiceList }) => ({ default: ChoiceList }), unfetched));

function unfetched() {
  return { default: Unfetched };
}

/** Fetches what the pickers need, for when the server is away. */
export async function fetchPickers(): Promise<void> {
  await Promise.all([import("./DatePicker"), import("./ChoiceList")]);
}

interface Opened {
  readonly anchor: Element;
  onClose(): void;
}

export function DatePopover({
  anchor,
  onClose,
  value,
  onChoose,
}: Opened & { value: number | null; onChoose: (moment: number | null) => void }) {
  return (
    <Popover anchor={anchor} label={t("Due")} onClose={onClose}>
      <Suspense>
        <LazyDate value={value} onChoose={onChoose} />
      </Suspense>
    </Popover>
  );
}

export function ChoicePopover({
  anchor,
  onClose,
  ...list
}: Opened & { label: string; choices: readonly Choice[]; value?: string | undefined; onChoose: (id: string) => void }) {
  return (
    <Popover anchor={anchor} label={list.label} onClose={onClose}>
      <Suspense>
        <LazyChoices {...list} />
      </Suspense>
    </Popover>
  );
}
