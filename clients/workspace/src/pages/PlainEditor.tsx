import type { MarkdownEditorProps } from "../editor/MarkdownEditor";
import { t } from "../i18n/translate";

/** In the place of the editor if its script could not be fetched. */
export function PlainEditor({ label, text, isFocused = false, onChange }: MarkdownEditorProps) {
  return (
    <textarea
      // biome-ignore lint/a11y/noAutofocus: the user has come to write
      autoFocus={isFocused}
      aria-label={label}
      placeholder={t("Write here, in Markdown")}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
