import { GanttStrip } from "./GanttStrip";

export interface TimelineData {
  readonly checkpoints: readonly { readonly id: string; readonly title: string; readonly date: number }[];
}

export function TimelineBlock({ data }: { data: TimelineData }) {
  return (
    <div className="block">
      <GanttStrip lanes={data.checkpoints.map((checkpoint) => ({ ...checkpoint, entity: "checkpoint" }))} />
    </div>
  );
}
