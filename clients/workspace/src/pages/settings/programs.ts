/** Ready-made configuration for programs that speak MCP. Pure. */
import { msg, t } from "../../i18n/translate";

export interface Program {
  readonly name: string;
  /** Where it is put. */
  readonly where: string;
  configuration(address: string, token: string): string;
}

export const PROGRAMS: readonly Program[] = [
  {
    name: "Claude Code",
    where: msg("Run this in a terminal:"),
    configuration: (address, token) =>
      `claude mcp add --transport http adiuva ${address} --header "Authorization: Bearer ${token}"`,
  },
  {
    name: "Cursor",
    where: msg("Put this into ~/.cursor/mcp.json:"),
    configuration: (address, token) =>
      shown({ mcpServers: { adiuva: { url: address, headers: { Authorization: `Bearer ${token}` } } } }),
  },
  {
    name: "VS Code",
    where: msg("Put this into .vscode/mcp.json. It asks for the token:"),
    configuration: (address) =>
      shown({
        inputs: [{ type: "promptString", id: "adiuva-token", description: t("Personal token"), password: true }],
        servers: {
          adiuva: { type: "http", url: address, headers: { Authorization: `Bearer \${input:adiuva-token}` } },
        },
      }),
  },
];

function shown(configuration: unknown): string {
  return JSON.stringify(configuration, null, 2);
}
