/** An error boundary: if its content cannot be drawn, the rest of the page still is. */
import { Component, type ReactNode } from "react";

interface BoundaryProps {
  readonly children: ReactNode;
  /** Names the content: if it changes, drawing is tried again. */
  readonly of: unknown;
  /** Shown instead; `again` tries once more. */
  readonly instead: (again: () => void) => ReactNode;
}

interface BoundaryState {
  readonly hasFailed: boolean;
  readonly of: unknown;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { hasFailed: false, of: this.props.of };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  static getDerivedStateFromProps({ of }: BoundaryProps, state: BoundaryState): BoundaryState | null {
    return of === state.of ? null : { hasFailed: false, of };
  }

  override render(): ReactNode {
    return this.state.hasFailed ? this.props.instead(() => this.setState({ hasFailed: false })) : this.props.children;
  }
}
