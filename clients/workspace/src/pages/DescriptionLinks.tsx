/** What a description refers to, below the field in which it is written: links that can be followed, and its pictures. */
import { useEffect, useMemo, useState } from "react";
import { Link } from "wouter";
import { t } from "../i18n/translate";
import { linksIn } from "../moving/links";
import { EntityMark } from "../parts/EntityMark";
import { OutwardLink } from "../parts/OutwardLink";
import { linkKey } from "../parts/title_links";
import { useLinkPlaces, usePictureAddress } from "./useLinks";

export function DescriptionLinks({ text }: { text: string }) {
  const placeOf = useLinkPlaces();
  const found = useMemo(() => linksIn(text), [text]);
  const titles = found.titles.filter(
    (title, at, all) => all.findIndex((other) => linkKey(other) === linkKey(title)) === at,
  );
  if (titles.length + found.addresses.length + found.pictures.length === 0) {
    return null;
  }
  return (
    <ul className="description-links" aria-label={t("Links of the description")}>
      {titles.map((title) => {
        const { entity, address } = placeOf(title);
        return (
          <li key={title}>
            <Link href={address} className="pill">
              <EntityMark entity={entity} />
              {title}
            </Link>
          </li>
        );
      })}
      {found.addresses.map(({ words, address }) => (
        <li key={address}>
          <OutwardLink address={address} words={words} className="pill">
            {words} ↗
          </OutwardLink>
        </li>
      ))}
      {found.pictures.map(({ words, name }) => (
        <li key={name} className="picture">
          <Picture name={name} words={words} />
        </li>
      ))}
    </ul>
  );
}

function Picture({ name, words }: { name: string; words: string }) {
  const read = usePictureAddress();
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    let isCurrent = true;
    void read(name).then((found) => isCurrent && setAddress(found));
    return () => {
      isCurrent = false;
    };
  }, [read, name]);
  return address === null ? <span className="small muted">{words}</span> : <img src={address} alt={words} />;
}
