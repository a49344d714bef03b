/** One of several, found by typing. */
import { Command } from "cmdk";
import { t } from "../i18n/translate";
import { foldedText, wordsOf } from "../parts/folding";

export interface Choice {
  /** Empty for none. */
  readonly id: string;
  readonly name: string;
}

export function ChoiceList({
  label,
  choices,
  value,
  onChoose,
}: {
  label: string;
  choices: readonly Choice[];
  value?: string | undefined;
  onChoose: (id: string) => void;
}) {
  return (
    <Command
      label={label}
      className="choice-list"
      filter={matched}
      {...(value === undefined ? {} : { defaultValue: value })}
    >
      <Command.Input data-focus className="input" placeholder={label} />
      <Command.List label={label}>
        <Command.Empty>{t("Nothing matches.")}</Command.Empty>
        {choices.map(({ id, name }) => (
          <Command.Item key={id} value={id} keywords={[name]} onSelect={() => onChoose(id)}>
            <span>{name}</span>
            {id === value && <span aria-hidden="true">✓</span>}
          </Command.Item>
        ))}
      </Command.List>
    </Command>
  );
}

/** All words in any order, as in every search. */
function matched(_id: string, search: string, names: readonly string[] = []): number {
  const name = foldedText(names.join(" "));
  return wordsOf(search).every((word) => name.includes(word)) ? 1 : 0;
}
