/** The boxes of a Markdown text, to be ticked and added to. The rest of the text stays as it is. */
import { type KeyboardEvent, useState } from "react";
import { t } from "../i18n/translate";

const BOX = /^([ \t]*[-*+] \[)([ xX])(\] )(.*)$/;

export function Checklist({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  const [added, setAdded] = useState("");
  const lines = text.split("\n");
  const boxes = lines.flatMap((line, index) => {
    const match = BOX.exec(line);
    return match === null ? [] : [{ index, isTicked: match[2] !== " ", name: match[4] ?? "" }];
  });
  const tick = (index: number) => {
    const ticked = lines.map((line, at) =>
      at === index
        ? line.replace(BOX, (_all, before, mark, ...rest) => `${before}${mark === " " ? "x" : " "}${rest[0]}${rest[1]}`)
        : line,
    );
    onChange(ticked.join("\n"));
  };
  const add = (event: KeyboardEvent) => {
    if (event.key === "Enter") {
      // Not the form's.
      event.preventDefault();
      if (added.trim() !== "") {
        onChange(withItem(text, added.trim()));
        setAdded("");
      }
    }
  };
  return (
    <fieldset className="checklist">
      <legend className="unseen">{t("Checklist")}</legend>
      {boxes.map(({ index, isTicked, name }) => (
        <label key={`${index} ${name}`}>
          <input type="checkbox" checked={isTicked} onChange={() => tick(index)} />
          <span>{name}</span>
        </label>
      ))}
      <input
        className="input"
        aria-label={t("New item of the checklist")}
        placeholder={t("Add an item, then Enter")}
        value={added}
        onChange={(event) => setAdded(event.target.value)}
        onKeyDown={add}
      />
    </fieldset>
  );
}

/** After the last box, or at the end. */
function withItem(text: string, name: string): string {
  const lines = text === "" ? [] : text.split("\n");
  const last = lines.findLastIndex((line) => BOX.test(line));
  const item = `- [ ] ${name}`;
  if (last === -1) {
    return [...lines, ...(lines.length > 0 && lines.at(-1) !== "" ? [""] : []), item].join("\n");
  }
  return lines.toSpliced(last + 1, 0, item).join("\n");
}
