/** Ready-made configuration for programs that speak MCP. Pure. */
import { msg, t } from "../../i18n/translate";

export interface Program {
  readonly name: string;
  /** Where it is put. */
  readonly where: string;
  /** For the server at `address`; it holds `token` unless the program asks for it. */
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
    name: "Claude Desktop",
    where: msg("Put this into claude_desktop_config.json (Settings → Developer → Edit Config). It needs Node 20:"),
    configuration: (address, token) => shown({ mcpServers: { adiuva: passedOn(address, token) } }),
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
  {
    name: "MCP Inspector",
    where: msg("Run this in a terminal. It lists the tools, and needs Node 22:"),
    configuration: (address, token) =>
      `npx @modelcontextprotocol/inspector --cli ${address} --transport http --header "Authorization: Bearer ${token}" --method tools/list`,
  },
  {
    name: "mcp-remote",
    where: msg("A program that starts its servers itself runs this. It needs Node 20:"),
    configuration: (address, token) => `npx -y mcp-remote ${address} --header "Authorization:Bearer ${token}"`,
  },
];

const VARIABLE = "ADIUVA_AUTHORIZATION";

/** A server that the program starts, and that passes everything on to the one at `address`. */
function passedOn(address: string, token: string) {
  return {
    command: "npx",
    // Some programs break an argument with a space in two, so the one in the header comes from the environment.
    args: ["-y", "mcp-remote", address, "--header", `Authorization:\${${VARIABLE}}`],
    env: { [VARIABLE]: `Bearer ${token}` },
  };
}

function shown(configuration: unknown): string {
  return JSON.stringify(configuration, null, 2);
}
