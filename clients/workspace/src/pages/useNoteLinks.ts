/** What a note's text refers to: other notes, addresses, and pictures. */
import { useRef } from "react";
import { useLocation } from "wouter";
import type { MarkdownEditorProps } from "../editor/MarkdownEditor";
import { foldedText } from "../parts/folding";
import { useStore } from "../rpc/RpcProvider";
import { useTable } from "../rpc/tables";

type Links = Pick<MarkdownEditorProps, "titles" | "open" | "picture">;

const OUTSIDE = /^(https?:|mailto:)/i;

export function useNoteLinks(): Links {
  const store = useStore();
  const [, go] = useLocation();
  const notes = useRef(useTable("notes"));
  notes.current = useTable("notes");
  return {
    titles: () => (notes.current ?? []).map(({ title }) => title),
    open: (link) => {
      if ("note" in link) {
        const sought = foldedText(link.note);
        const found = notes.current?.find(({ title }) => foldedText(title) === sought);
        go(found === undefined ? `/notes/new?title=${encodeURIComponent(link.note)}` : `/notes/${found.id}`);
      } else if (OUTSIDE.test(link.address)) {
        window.open(link.address, "_blank", "noopener,noreferrer");
      }
    },
    picture: async (name) => {
      const picture = await store.picture(name);
      return picture === null ? null : await addressOf(picture);
    },
  };
}

/** The page's policy allows pictures from `data:` alone. */
function addressOf(picture: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
}
