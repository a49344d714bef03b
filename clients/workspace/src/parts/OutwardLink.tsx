/** A link to another place, and beside its words the host that it leads to, where these do not say it. */
import { type ReactNode, useId } from "react";
import { hostBeside } from "./hosts";

interface OutwardLinkProps {
  readonly address: string;
  readonly words: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export function OutwardLink({ address, words, className, children }: OutwardLinkProps) {
  const id = useId();
  const host = hostBeside(address, words);
  return (
    <>
      <a
        href={address}
        className={className}
        target="_blank"
        rel="noopener noreferrer nofollow"
        aria-describedby={host === null ? undefined : id}
      >
        <bdi>{children}</bdi>
      </a>
      {host !== null && (
        <bdi id={id} className="host">
          ({host})
        </bdi>
      )}
    </>
  );
}
