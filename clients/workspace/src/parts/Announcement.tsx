import { useEffect, useRef, useState } from "react";

/** Long enough for a screen reader to notice it. */
const SAID_MS = 2_000;

/** Tells a screen reader each new `text` once. It is gone then: browsing, one would find it beside what it repeats. */
export function Announcement({ text }: { text: string }) {
  const [said, say] = useState("");
  const before = useRef(text);
  useEffect(() => {
    if (before.current === text) {
      return undefined;
    }
    before.current = text;
    say(text);
    const timer = setTimeout(() => say(""), SAID_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <p className="unseen" role="status">
      {said}
    </p>
  );
}
