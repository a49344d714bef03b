/** A button that lets the user choose files. */
import { type RefObject, useRef } from "react";

/** The types of React lack it. */
const OF_FOLDERS = { webkitdirectory: "" };

export function FilesButton({
  name,
  label = name,
  isBusy,
  accept,
  isFolder = false,
  isMultiple = false,
  opener,
  onChosen,
}: {
  name: string;
  /** What the chosen files are, for who cannot see. */
  label?: string;
  isBusy: boolean;
  accept?: string;
  isFolder?: boolean;
  isMultiple?: boolean;
  opener?: RefObject<HTMLButtonElement | null>;
  /** At least one. */
  onChosen: (files: readonly File[]) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <button
        ref={opener}
        type="button"
        className="button"
        // A disabled button could not get the focus back.
        aria-disabled={isBusy}
        onClick={() => isBusy || input.current?.click()}
      >
        {name}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple={isMultiple}
        accept={accept}
        {...(isFolder ? OF_FOLDERS : {})}
        aria-label={label}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])];
          if (files.length > 0) {
            onChosen(files);
          }
          // The same files may be chosen again.
          target.value = "";
        }}
      />
    </>
  );
}
