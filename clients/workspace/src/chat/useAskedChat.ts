import type { ChatChannel } from "@adiuva/client/database";
import { useEffect } from "react";
import { useLocation, useSearch } from "wouter";
import { CHAT } from "./scopes";

/** Opens the conversation that the address names, on Home or beside another page; then the address no longer does. */
export function useAskedChat(channel: ChatChannel, open: (id: string) => void): void {
  const [location, go] = useLocation();
  const query = useSearch();
  const isHere = (location === "/") === (channel === "home");
  useEffect(() => {
    const rest = new URLSearchParams(query);
    const id = rest.get(CHAT);
    if (isHere && id !== null) {
      rest.delete(CHAT);
      go(rest.size === 0 ? location : `${location}?${rest}`, { replace: true });
      open(id);
    }
  }, [isHere, query, location, go, open]);
}
