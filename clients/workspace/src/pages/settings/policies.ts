/** What the assistant may do without asking, as the server stores it. Pure. */
import { msg, t } from "../../i18n/translate";
import type { Edit } from "./useSetting";

export const POLICIES = "/api/v1/policies";
export const TOOLS = "/api/v1/tools";

export type Decision = "auto" | "ask" | "deny";
export type Risk = "read" | "write" | "destructive";

export interface Policies {
  readonly risks: Readonly<Record<Risk, Decision>>;
  readonly tools: Readonly<Record<string, Decision>>;
}

export interface Tool {
  readonly name: string;
  readonly agent: string;
  readonly risk: Risk;
  /** What it does, in words for the user. */
  readonly label: string;
}

export const DEFAULTS: Policies = { risks: { read: "auto", write: "auto", destructive: "ask" }, tools: {} };

export const DECISIONS: readonly (readonly [Decision, string])[] = [
  ["auto", msg("Unasked")],
  ["ask", msg("Asks first")],
  ["deny", msg("Never")],
];

export const RISKS: readonly (readonly [Risk, name: string, hint: string])[] = [
  ["read", msg("Looking things up"), msg("Reads your tasks, projects and notes, and changes nothing")],
  ["write", msg("Adding and changing"), msg("You can undo it")],
  ["destructive", msg("Deleting"), msg("You can undo it for 30 days")],
];

const GROUPS: readonly (readonly [agent: string, name: string])[] = [
  ["tasks", msg("Tasks")],
  ["projects", msg("Projects")],
  ["checkpoints", msg("Checkpoints")],
  ["notes", msg("Notes")],
  ["sidebar", msg("The page beside you")],
  ["all", msg("Memory and reviews")],
];

const ORDER: readonly Risk[] = ["read", "write", "destructive"];

export interface Group {
  readonly name: string;
  readonly tools: readonly Tool[];
}

/** The tools by subject, harmless ones first; decisions about unknown tools come last. */
export function groupsOf(tools: readonly Tool[], policies: Policies): Group[] {
  const known = GROUPS.map(([agent, name]) => ({ name, tools: tools.filter((tool) => tool.agent === agent) }));
  const names = new Set(tools.map(({ name }) => name));
  const strange = Object.keys(policies.tools).filter((name) => !names.has(name));
  const others = strange.map((name) => ({ name, agent: "", risk: "write", label: name }) as const);
  return [...known, { name: msg("Others"), tools: others }]
    .filter((group) => group.tools.length > 0)
    .map((group) => ({
      ...group,
      tools: group.tools.toSorted((one, other) => ORDER.indexOf(one.risk) - ORDER.indexOf(other.risk)),
    }));
}

export function decideRisk(risk: Risk, decision: Decision): Edit<Policies> {
  return (policies) => ({ ...policies, risks: { ...policies.risks, [risk]: decision } });
}

/** Null if the decision for the tool's risk applies. */
export function decideTool(tool: string, decision: Decision | null): Edit<Policies> {
  return (policies) => {
    const { [tool]: _before, ...others } = policies.tools;
    return { ...policies, tools: decision === null ? others : { ...others, [tool]: decision } };
  };
}

export function decisionShown(decision: Decision): string {
  return t(DECISIONS.find(([value]) => value === decision)?.[1] ?? decision);
}
