/** Answers and conversations as Markdown, to copy and to save. Pure. */
import type { ChatMessage } from "@adiuva/client/database";
import { type ChartData, readChart } from "../blocks/chart_data";
import type { EntityData } from "../blocks/EntityBlock";
import type { TableData } from "../blocks/TableBlock";
import type { TimelineData } from "../blocks/TimelineBlock";
import { dueShown } from "../parts/dates";
import type { Part } from "./parts";

export function partsOf({ content, toolResults }: ChatMessage): readonly Part[] {
  return (toolResults as Part[] | null) ?? [{ type: "text", text: content }];
}

export function markdownOf(parts: readonly Part[]): string {
  return parts
    .map((part) => (part.type === "text" ? part.text.trim() : blockOf(part.blockType, part.data)))
    .filter((text) => text !== "")
    .join("\n\n");
}

/** A conversation with headings for who said what. */
export function conversationOf(title: string, messages: readonly ChatMessage[], names: { you: string }): string {
  const said = messages.map((message) =>
    message.role === "user" ? `## ${names.you}\n\n${message.content}` : `## Adiuva\n\n${markdownOf(partsOf(message))}`,
  );
  return `${[`# ${title}`, ...said].join("\n\n")}\n`;
}

function blockOf(blockType: string, data: unknown): string {
  switch (blockType) {
    case "table": {
      const { headers, rows } = data as TableData;
      return tableOf(headers, rows);
    }
    case "chart": {
      const { categories, series } = readChart(data as ChartData);
      const rows = categories.map((category, index) => [
        category,
        ...series.map(({ values }) => values[index] ?? null),
      ]);
      return `**${(data as ChartData).title}**\n\n${tableOf(["", ...series.map(({ label }) => label)], rows)}`;
    }
    case "timeline":
      return (data as TimelineData).checkpoints.map(({ title, date }) => `- ${title}: ${dueShown(date)}`).join("\n");
    case "entity_ref":
      return (data as EntityData).items.map((item) => `- ${String(item.title ?? item.name ?? "")}`).join("\n");
    default:
      return "";
  }
}

function tableOf(headers: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const line = (cells: readonly unknown[]) =>
    `| ${cells
      .map((cell) =>
        String(cell ?? "")
          .replace(/\|/g, "\\|")
          .replace(/\s+/g, " "),
      )
      .join(" | ")} |`;
  return [line(headers), line(headers.map(() => "---")), ...rows.map(line)].join("\n");
}
