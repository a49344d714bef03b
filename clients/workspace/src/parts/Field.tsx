import type { ReactNode } from "react";

/** A control with its name above it. */
export function Field({ name, children }: { name: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noLabelWithoutControl: the control is among the children
    <label className="field">
      <span>{name}</span>
      {children}
    </label>
  );
}
