/** What the texts of notes and descriptions refer to: rows by their titles, addresses, and pictures. */
import { useMemo, useRef } from "react";
import { useLocation } from "wouter";
import { addressOf, type Entity } from "../blocks/addresses";
import type { MarkdownEditorProps } from "../editor/MarkdownEditor";
import { linkKey } from "../parts/title_links";
import { useStore } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";

const OUTSIDE = /^(https?:|mailto:)/i;

interface Target {
  readonly entity: Entity;
  readonly id: string;
  readonly title: string;
}

/** All that a link can name, by its key: of several with one title the first. Put together when it is needed. */
function useTargets(): () => ReadonlyMap<string, Target> {
  const notes = useTable("notes");
  const projects = useTable("projects");
  const tasks = useTable("tasks");
  const checkpoints = useTable("checkpoints");
  return useMemo(() => {
    let targets: Map<string, Target> | undefined;
    return () => {
      targets ??= targetsOf([
        ["note", notes ?? []],
        ["project", (projects ?? []).map(({ id, name }) => ({ id, title: name }))],
        ["task", tasks ?? []],
        ["checkpoint", checkpoints ?? []],
      ]);
      return targets;
    };
  }, [notes, projects, tasks, checkpoints]);
}

type Rows = readonly (readonly [entity: Entity, rows: readonly { readonly id: string; readonly title: string }[]])[];

function targetsOf(all: Rows): Map<string, Target> {
  const targets = new Map<string, Target>();
  for (const [entity, rows] of all) {
    for (const { id, title } of rows) {
      const key = linkKey(title);
      if (!targets.has(key)) {
        targets.set(key, { entity, id, title });
      }
    }
  }
  return targets;
}

export interface LinkPlace {
  readonly entity: Entity;
  readonly address: string;
}

/** Where a link leads; to a new note if there is nothing of its title. */
export function useLinkPlaces(): (title: string) => LinkPlace {
  const targets = useTargets();
  return (title) => placeOf(title, targets());
}

function placeOf(title: string, targets: ReadonlyMap<string, Target>): LinkPlace {
  const target = targets.get(linkKey(title));
  return target === undefined
    ? { entity: "note", address: `/notes/new?title=${encodeURIComponent(title)}` }
    : { entity: target.entity, address: addressOf(target.entity, target.id) };
}

/** For the editor, whose functions stay the same while the rows change. */
export function useEditorLinks(): Pick<MarkdownEditorProps, "titles" | "open" | "picture"> {
  const [, go] = useLocation();
  const picture = usePictureAddress();
  const targets = useTargets();
  const latest = useRef(targets);
  latest.current = targets;
  return {
    titles: () => [...latest.current().values()].map(({ title }) => title),
    open: (link) => {
      if ("note" in link) {
        go(placeOf(link.note, latest.current()).address);
      } else if (OUTSIDE.test(link.address)) {
        window.open(link.address, "_blank", "noopener,noreferrer");
      }
    },
    picture,
  };
}

/** Reads a stored picture as an address that the page may show; null if it is gone. */
export function usePictureAddress(): (name: string) => Promise<string | null> {
  const store = useStore();
  return useMemo(
    () => async (name) => {
      const picture = await store.picture(name);
      return picture === null ? null : await addressOfPicture(picture);
    },
    [store],
  );
}

/** The page's policy allows pictures from `data:` alone. */
function addressOfPicture(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
}
