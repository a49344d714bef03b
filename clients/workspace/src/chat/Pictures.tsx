/** The pictures that go along with the next question, small, above the text field. */
import { useEffect, useRef } from "react";
import { t } from "../i18n/translate";
import { Icon } from "../parts/Icon";
import type { ChosenPictures } from "./usePictures";

const SIDE_PX = 56;

export function Pictures({ chosen, problem, remove }: ChosenPictures) {
  return (
    <>
      {problem !== "" && (
        <p className="picture-problem" role="alert">
          {problem}
        </p>
      )}
      {chosen.length > 0 && (
        <ul className="pictures" aria-label={t("Pictures")}>
          {chosen.map(({ number, file, id }) => (
            <li key={number} aria-busy={id === null}>
              <Thumbnail file={file} />
              <button
                type="button"
                aria-label={t("Leave out {name}", { name: file.name })}
                onClick={() => remove(number)}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function PictureButton({ onChosen }: { onChosen: (files: readonly File[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept="image/png,image/jpeg,image/webp"
        onChange={({ target }) => {
          onChosen([...(target.files ?? [])]);
          target.value = "";
        }}
      />
      <button
        type="button"
        className="add-picture"
        aria-label={t("Add a picture")}
        onClick={() => input.current?.click()}
      >
        <Icon name="picture" />
      </button>
    </>
  );
}

/** Drawn, because the page's policy allows no pictures from elsewhere than the server. */
function Thumbnail({ file }: { file: File }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    let isCurrent = true;
    createImageBitmap(file).then(
      (picture) => {
        const scale = Math.max(SIDE_PX / picture.width, SIDE_PX / picture.height);
        const [width, height] = [picture.width * scale, picture.height * scale];
        if (isCurrent) {
          const at = [(SIDE_PX - width) / 2, (SIDE_PX - height) / 2] as const;
          canvas.current?.getContext("2d")?.drawImage(picture, ...at, width, height);
        }
        picture.close();
      },
      () => undefined,
    );
    return () => {
      isCurrent = false;
    };
  }, [file]);
  return <canvas ref={canvas} width={SIDE_PX} height={SIDE_PX} role="img" aria-label={file.name} />;
}
