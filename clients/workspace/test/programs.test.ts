import { expect, test } from "vitest";
import { PROGRAMS } from "../src/pages/settings/programs";

const ADDRESS = "https://adiuva.example/mcp";
const TOKEN = "adv_secret";

function configuration(name: string): string {
  const program = PROGRAMS.find((each) => each.name === name);
  return program?.configuration(ADDRESS, TOKEN) ?? "";
}

test("each program gets the address and the token, unless it asks for the token", () => {
  const given = PROGRAMS.map(({ name, configuration: made }) => [name, made(ADDRESS, TOKEN)] as const);

  expect(given.filter(([, text]) => !text.includes(ADDRESS))).toEqual([]);
  expect(given.filter(([, text]) => !text.includes(TOKEN)).map(([name]) => name)).toEqual(["VS Code"]);
});

test("Claude Desktop starts a server whose header takes the token from the environment", () => {
  const { command, args, env } = JSON.parse(configuration("Claude Desktop")).mcpServers.adiuva;
  const header: string = args.at(-1);

  expect([command, ...args.slice(0, -1)]).toEqual(["npx", "-y", "mcp-remote", ADDRESS, "--header"]);
  expect(header.replace(/\$\{(\w+)\}/, (_, name) => env[name])).toBe(`Authorization:Bearer ${TOKEN}`);
});

test("on a command line the header is one argument, and has no space that mcp-remote would take as its value's", () => {
  expect(configuration("MCP Inspector")).toContain(`--header "Authorization: Bearer ${TOKEN}"`);
  expect(configuration("mcp-remote")).toContain(`--header "Authorization:Bearer ${TOKEN}"`);
});
