/** A block of an answer. The server has checked it; unknown blocks are left out. */

import type { BlockType } from "@adiuva/client";
import { lazy, Suspense } from "react";
import { t } from "../i18n/translate";
import { Boundary } from "../parts/Boundary";
import { ChartBlock, type ChartData } from "./ChartBlock";
import { EntityBlock, type EntityData } from "./EntityBlock";
import { TableBlock, type TableData } from "./TableBlock";
import type { TimelineData } from "./TimelineBlock";

/** With the timeline's page, and not with the first one. */
const TimelineBlock = lazy(async () => ({ default: (await import("./TimelineBlock")).TimelineBlock }));

interface BlockProps {
  readonly blockType: BlockType;
  readonly data: unknown;
}

export function Block(block: BlockProps) {
  return (
    <Boundary
      of={block.data}
      instead={() => <p className="muted small">{t("A part of the answer could not be shown.")}</p>}
    >
      <KnownBlock {...block} />
    </Boundary>
  );
}

function KnownBlock({ blockType, data }: BlockProps) {
  switch (blockType) {
    case "chart":
      return <ChartBlock data={data as ChartData} />;
    case "table":
      return <TableBlock data={data as TableData} />;
    case "timeline":
      return (
        <Suspense fallback={<div className="block" />}>
          <TimelineBlock data={data as TimelineData} />
        </Suspense>
      );
    case "entity_ref":
      return <EntityBlock data={data as EntityData} />;
    default:
      return null;
  }
}
