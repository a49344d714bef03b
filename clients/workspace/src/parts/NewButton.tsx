/** The button for something new at the head of a page: on the narrowest windows it is a plus, whatever the language. */
import type { ComponentProps } from "react";
import { Icon } from "./Icon";

export function NewButton({
  name,
  className = "button primary",
  ...rest
}: { name: string } & ComponentProps<"button">) {
  return (
    <button type="button" className={`${className} new`} {...rest}>
      <Icon name="plus" />
      <span>{name}</span>
    </button>
  );
}
