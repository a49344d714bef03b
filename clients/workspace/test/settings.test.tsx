import { act, render, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { expect, test } from "vitest";
import { CoreFacts } from "../src/pages/settings/CoreFacts";
import { Devices } from "../src/pages/settings/Devices";
import { Disclosures } from "../src/pages/settings/Disclosures";
import { Facts } from "../src/pages/settings/Facts";
import { NeverShared } from "../src/pages/settings/NeverShared";
import { Permissions } from "../src/pages/settings/Permissions";
import { Programs } from "../src/pages/settings/Programs";
import { Recollections } from "../src/pages/settings/Recollections";
import { Usage } from "../src/pages/settings/Usage";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ONLINE, ScriptedStore } from "./rpc";

/** The content of addresses; `PUT` replaces it. Methods and addresses in `refuses` get that answer instead. */
class Server {
  readonly holds: Record<string, unknown>;
  readonly refuses: Record<string, () => { status: number; body: unknown }> = {};

  constructor(holds: Record<string, unknown>) {
    this.holds = holds;
  }

  readonly rest = (method: string, path: string, body?: unknown): { status: number; body: unknown } => {
    const refused = this.refuses[`${method} ${path}`];
    if (refused !== undefined) {
      return refused();
    }
    if (method === "DELETE") {
      return { status: 204, body: null };
    }
    if (method === "PUT") {
      this.holds[path] = body;
    }
    return path in this.holds
      ? { status: 200, body: this.holds[path] }
      : { status: 404, body: { code: "not_found", message: "Not found." } };
  };
}

const ROWS: Record<string, { id: string; name?: string; title?: string; status?: string }> = {
  p1: { id: "p1", name: "Garden", status: "active" },
  p2: { id: "p2", name: "Website", status: "archived" },
  t1: { id: "t1", title: "Buy milk" },
};
const SHARING = "/api/v1/sharing";
const POLICIES = "/api/v1/policies";
const unreachable = () => {
  throw new Error("The server cannot be reached.");
};

function shown(server: Server, content: ReactNode) {
  const store = new ScriptedStore({
    rest: server.rest,
    deviceId: () => "here",
    select: () => [ROWS.p1, ROWS.p2],
    get: (_table: string, id: string) => ROWS[id] ?? null,
  });
  store.tell({ type: "snapshot", snapshot: ONLINE });
  render(<RpcProvider rpc={store.rpc}>{content}</RpcProvider>);
  return { store, user: userEvent.setup() };
}

function puts(store: ScriptedStore): unknown[] {
  return store.calls("rest").flatMap(([method, , body]) => (method === "PUT" ? [body] : []));
}

/** The only page of a list. */
const page = (results: readonly object[]) => ({ results, next: null });

test("a project that is marked is saved at once, by its id", async () => {
  const server = new Server({ [SHARING]: { tables: ["notes"], projects: [] } });
  const { store, user } = shown(server, <NeverShared />);

  await user.click(await screen.findByRole("checkbox", { name: "Garden" }));

  expect(await screen.findByText("Saved.")).toBeDefined();
  expect(puts(store)).toEqual([{ tables: ["notes"], projects: ["p1"] }]);
  await user.click(screen.getByRole("checkbox", { name: /^Notes/ }));
  await waitFor(() => expect(puts(store).at(-1)).toEqual({ tables: [], projects: ["p1"] }));
});

test("what cannot be saved stays chosen, and is saved later", async () => {
  const server = new Server({ [SHARING]: { tables: [], projects: [] } });
  const { user } = shown(server, <NeverShared />);
  const garden = await screen.findByRole<HTMLInputElement>("checkbox", { name: "Garden" });
  server.refuses[`PUT ${SHARING}`] = () => ({ status: 503, body: { code: "key_unavailable", message: "No key." } });

  await user.click(garden);
  expect((await screen.findByRole("alert")).textContent).toContain("Not saved: No key.");
  await user.click(screen.getByRole("checkbox", { name: /^Tasks/ }));
  await screen.findByRole("alert");
  expect(garden.checked).toBe(true);
  expect(server.holds[SHARING]).toEqual({ tables: [], projects: [] });

  delete server.refuses[`PUT ${SHARING}`];
  await user.click(screen.getByRole("button", { name: "Try again" }));
  await screen.findByText("Saved.");
  expect(server.holds[SHARING]).toEqual({ tables: ["tasks"], projects: ["p1"] });
  expect(screen.queryByRole("alert")).toBeNull();
});

test("what cannot be saved can be taken back", async () => {
  const server = new Server({ [SHARING]: { tables: [], projects: [] } });
  const { user } = shown(server, <NeverShared />);
  const garden = await screen.findByRole<HTMLInputElement>("checkbox", { name: "Garden" });
  server.refuses[`PUT ${SHARING}`] = unreachable;

  await user.click(garden);
  await user.click(await screen.findByRole("button", { name: "Undo" }));

  expect(garden.checked).toBe(false);
  expect(screen.queryByRole("alert")).toBeNull();
});

test("what was marked elsewhere meanwhile is kept", async () => {
  const server = new Server({ [SHARING]: { tables: [], projects: [] } });
  const { user } = shown(server, <NeverShared />);
  const garden = await screen.findByRole("checkbox", { name: "Garden" });
  server.holds[SHARING] = { tables: [], projects: ["p2"] };

  await user.click(garden);

  await screen.findByText("Saved, with what was changed elsewhere meanwhile.");
  expect(server.holds[SHARING]).toEqual({ tables: [], projects: ["p2", "p1"] });
  expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /^Website/ }).checked).toBe(true);
});

test("marks that the server cannot read are replaced", async () => {
  const server = new Server({});
  const { user } = shown(server, <NeverShared />);
  server.refuses[`GET ${SHARING}`] = () => ({ status: 409, body: { code: "unreadable", message: "Mark anew." } });

  await user.click(await screen.findByRole("checkbox", { name: "Garden" }));

  await screen.findByText("Saved.");
  expect(server.holds[SHARING]).toEqual({ tables: [], projects: ["p1"] });
  expect(screen.queryByText("Mark anew.")).toBeNull();
});

test("a section that cannot be loaded says why, and can be loaded again", async () => {
  const server = new Server({ [SHARING]: { tables: [], projects: [] } });
  server.refuses[`GET ${SHARING}`] = unreachable;
  const { user } = shown(server, <NeverShared />);

  expect((await screen.findByRole("alert")).textContent).toContain("The server cannot be reached.");
  expect(screen.queryByRole("checkbox")).toBeNull();
  delete server.refuses[`GET ${SHARING}`];
  await user.click(screen.getByRole("button", { name: "Try again" }));

  expect(await screen.findByRole("checkbox", { name: "Garden" })).toBeDefined();
});

test("a section that could not be loaded is loaded when the connection is back", async () => {
  const server = new Server({ [SHARING]: { tables: [], projects: [] } });
  server.refuses[`GET ${SHARING}`] = () => ({ status: 500, body: null });
  const { store } = shown(server, <NeverShared />);
  expect((await screen.findByRole("alert")).textContent).toContain("The server has a problem at the moment.");
  delete server.refuses[`GET ${SHARING}`];

  // Wait until the page has noticed.
  await act(async () => {
    store.tell({ type: "snapshot", snapshot: { ...ONLINE, connection: { at: "connecting", isFirst: false } } });
  });
  expect(store.rpc.snapshot.connection.at).toBe("connecting");
  store.tell({ type: "snapshot", snapshot: ONLINE });

  expect(await screen.findByRole("checkbox", { name: "Garden" })).toBeDefined();
});

test("a decision about a tool is made and taken back, and leaves the others", async () => {
  const risks = { read: "auto", write: "auto", destructive: "ask" };
  const server = new Server({
    [POLICIES]: { risks, tools: { ask_model: "deny" } },
    "/api/v1/tools": page([{ name: "delete_task", agent: "tasks", risk: "destructive", label: "Deleting a task" }]),
  });
  const { user } = shown(server, <Permissions />);
  await user.click(await screen.findByText("Tasks"));
  const choice = screen.getByRole("combobox", { name: "Deleting a task" });

  await user.selectOptions(choice, "Never");
  await screen.findByText("Saved.");
  expect(server.holds[POLICIES]).toEqual({ risks, tools: { ask_model: "deny", delete_task: "deny" } });

  await user.selectOptions(choice, "As above: asks first");
  await user.click(within(screen.getByRole("group", { name: "Deleting" })).getByRole("radio", { name: "Unasked" }));
  await waitFor(() =>
    expect(server.holds[POLICIES]).toEqual({
      risks: { ...risks, destructive: "auto" },
      tools: { ask_model: "deny" },
    }),
  );
  expect(screen.getByText(/It deletes without asking you/)).toBeDefined();
});

test("a preference is forgotten only after a confirmation", async () => {
  const row = { id: "c1", key: "tea / coffee", value: "Assam", unreadable: false };
  const { store, user } = shown(new Server({ "/api/v1/memory/core": page([row]) }), <CoreFacts />);

  await user.click(await screen.findByRole("button", { name: "Forget tea / coffee" }));
  expect(document.activeElement?.textContent).toBe("Keep it");
  await user.keyboard("{Escape}");
  expect(store.calls("forgetMemory")).toEqual([]);
  expect(document.activeElement?.textContent).toBe("Forget");

  await user.click(screen.getByRole("button", { name: "Forget tea / coffee" }));
  await user.click(screen.getByRole("button", { name: "Yes, forget it" }));
  await waitFor(() => expect(screen.queryByText("Assam")).toBeNull());
  expect(store.calls("forgetMemory")).toEqual([[{ id: "c1", kind: "preference" }]]);
});

test("a preference whose correction is refused stays in its field", async () => {
  const row = { id: "c1", key: "tea", value: "Assam", unreadable: false };
  const { store, user } = shown(new Server({ "/api/v1/memory/core": page([row]) }), <CoreFacts />);
  store.answers.correctMemory = () => {
    throw new Error("It is too long.");
  };

  await user.click(await screen.findByRole("button", { name: "Correct tea" }));
  await user.type(screen.getByRole("textbox", { name: "tea" }), " and more");
  await user.click(screen.getByRole("button", { name: "Save" }));

  expect((await screen.findByRole("alert")).textContent).toBe("Not saved: It is too long.");
  expect(screen.getByRole<HTMLTextAreaElement>("textbox", { name: "tea" }).value).toBe("Assam and more");
  store.answers.correctMemory = () => undefined;
  await user.click(screen.getByRole("button", { name: "Save" }));
  expect(await screen.findByText("Assam and more")).toBeDefined();
  expect(document.activeElement).toBe(screen.getByRole("button", { name: "Correct tea" }));
});

const FACT = {
  content: "The roof leaks.",
  created_at: "2026-03-29T10:00:00Z",
  said_in: "e1",
  about: null,
  superseded_by: null,
  superseded_as: "",
  superseded_at: null,
  unreadable: false,
};

test("facts come page after page, to correct and forget", async () => {
  const first = "/api/v1/memory/associative?kind=fact&limit=10";
  const server = new Server({
    [first]: { results: [{ ...FACT, id: "1", content: "Fact 1" }], next: "a b" },
    [`${first}&cursor=a%20b`]: { results: [{ ...FACT, id: "2", content: "Fact 2", said_in: null }], next: null },
  });
  const { store, user } = shown(server, <Facts />);

  await user.click(await screen.findByRole("button", { name: "Show earlier ones" }));
  expect(await screen.findByText("Fact 2")).toBeDefined();
  expect(screen.queryByRole("button", { name: "Show earlier ones" })).toBeNull();
  expect(screen.getAllByRole("listitem").map(({ textContent }) => textContent?.slice(6, 14))).toEqual([
    "Said on ",
    "Noted on",
  ]);
  await user.click(screen.getByRole("button", { name: "Correct “Fact 2”" }));
  await user.keyboard("0");
  await user.click(screen.getByRole("button", { name: "Save" }));
  await user.click(screen.getByRole("button", { name: "Forget “Fact 1”" }));
  await user.click(screen.getByRole("button", { name: "Yes, forget it" }));

  await waitFor(() => expect(screen.queryByText("Fact 1")).toBeNull());
  expect(screen.getByText("Fact 20")).toBeDefined();
  expect(store.calls("correctMemory")).toEqual([[{ id: "2", kind: "fact" }, "Fact 20"]]);
  expect(store.calls("forgetMemory")).toEqual([[{ id: "1", kind: "fact", said_in: "e1" }]]);
});

test("a fact names the row that it is about, if this device has it", async () => {
  const about = (entity_type: string, entity_id: string) => ({ about: { entity_type, entity_id } });
  const items = [
    { ...FACT, ...about("project", "p1"), id: "1" },
    { ...FACT, ...about("task", "gone"), id: "2" },
    { ...FACT, ...about("client", "p1"), id: "3" },
  ];
  shown(new Server({ "/api/v1/memory/associative?kind=fact&limit=10": page(items) }), <Facts />);

  expect((await screen.findByRole("link", { name: "Garden" })).getAttribute("href")).toBe("/projects/p1");
  expect(screen.getAllByRole("listitem").filter(({ textContent }) => textContent?.includes("About")).length).toBe(1);
});

test("a fact that is no longer true is said to be so, and can be restored", async () => {
  const past = { superseded_by: "2", superseded_as: "contradicts", superseded_at: "2026-04-05T10:00:00Z" };
  const server = new Server({
    "/api/v1/memory/associative?kind=fact&limit=10": { results: [{ ...FACT, id: "1", ...past }], next: null },
  });
  const { user } = shown(server, <Facts />);
  const restore = () => user.click(screen.getByRole("button", { name: "Restore “The roof leaks.”" }));
  expect(await screen.findByText(/No longer true since 5 Apr/)).toBeDefined();
  expect(screen.queryByRole("button", { name: /^Correct/ })).toBeNull();

  server.refuses["POST /api/v1/memory/associative/1/restore"] = () => ({ status: 503, body: { message: "No key." } });
  await restore();
  expect((await screen.findByRole("alert")).textContent).toBe("Not restored: No key.");
  server.refuses["POST /api/v1/memory/associative/1/restore"] = () => ({ status: 200, body: { ...FACT, id: "1" } });
  await restore();

  expect(await screen.findByRole("button", { name: /^Correct/ })).toBeDefined();
  expect(screen.queryByText(/No longer true/)).toBeNull();
});

test("conversations are listed by day, under its name", async () => {
  const row = (id: string, at: Date) => ({ id, summary: `S ${id}`, created_at: at.toISOString(), unreadable: false });
  const rows = [
    row("1", new Date(2026, 2, 29, 10)),
    row("2", new Date(2026, 2, 29, 9)),
    row("3", new Date(2025, 1, 1)),
  ];
  const server = new Server({ "/api/v1/memory/episodic?limit=10": page(rows) });
  shown(server, <Recollections tier="episodic" kind="exchange" name="C" about="" text="summary" isByDay />);

  const [first, second] = await screen.findAllByRole("list");
  expect(first?.previousElementSibling?.textContent).toMatch(/^29 Mar/);
  expect(within(first as HTMLElement).getAllByRole("listitem").length).toBe(2);
  expect(first?.textContent).toContain("S 110:00");
  expect(second?.previousElementSibling?.textContent).toBe("1 Feb 2025");
});

test("disclosures are listed with the rows' names on this device", async () => {
  const entry = { source: "home", table: "tasks", at: "2026-03-29T10:00:00Z" };
  shown(
    new Server({
      "/api/v1/disclosures?limit=10": {
        results: [
          { ...entry, id: "1", model: "gpt-4.1", left_server: true, row_count: 3, rows: ["t1", "gone", "away"] },
          { ...entry, id: "2", model: "offline", left_server: false, row_count: 1, rows: null },
        ],
        next: null,
      },
    }),
    <Disclosures />,
  );

  const link = await screen.findByRole("link", { name: "Buy milk" });
  expect(link.getAttribute("href")).toBe("/tasks/t1");
  const [far, near] = screen.getAllByRole("listitem").map((each) => each.textContent);
  expect(far).toContain("3 tasks to gpt-4.1 Buy milk, and 2 more");
  expect(near).toContain("1 task to the offline assistant stayed on the server");
});

test("this browser comes first, and cannot sign itself out as another", async () => {
  const device = { platform: "web", app_version: "", first_seen: "2026-03-29T10:00:00Z", online: false };
  const rows = ["there", "here"].map((id) => ({ ...device, id, device_id: id, last_seen: device.first_seen }));
  const { store, user } = shown(new Server({ "/api/v1/devices": page(rows) }), <Devices />);

  const other = await screen.findByRole("button", { name: "Sign out Browser" });
  const names = screen.getAllByRole("listitem").map((each) => each.querySelector("strong")?.textContent);
  expect(names).toEqual(["Browser", "Browser"]);
  expect(screen.getAllByText("This browser")).toHaveLength(1);
  await user.click(other);
  await user.click(screen.getByRole("button", { name: "Yes, sign it out" }));

  await waitFor(() => expect(screen.getAllByRole("listitem").length).toBe(1));
  expect(store.calls("rest").at(-1)).toEqual(["DELETE", "/api/v1/devices/there"]);
});

test("usage shows a bar for what is limited, and none for what is not", async () => {
  const used = { turns: 12, tokens: 48210, renews_at: "2026-03-30T00:00:00Z" };
  shown(new Server({ "/api/v1/usage": { ...used, limits: { turns: 10, tokens: null } } }), <Usage />);

  const [bar, ...others] = await screen.findAllByRole("progressbar");
  expect([bar?.getAttribute("value"), bar?.getAttribute("max"), others.length]).toEqual(["10", "10", 0]);
  expect(screen.getByText("12 of 10")).toBeDefined();
  expect(screen.getByText("Used up for today")).toBeDefined();
  expect(screen.getByText("48,210")).toBeDefined();
});

test("without any limit there is no bar", async () => {
  const used = { turns: 1, tokens: 2, renews_at: "2026-03-30T00:00:00Z" };
  shown(new Server({ "/api/v1/usage": { ...used, limits: { turns: null, tokens: null } } }), <Usage />);

  expect(await screen.findByText("There is no limit for you on this server.")).toBeDefined();
  expect(screen.queryByRole("progressbar")).toBeNull();
});

test.each([
  [["read", "write"], "Reads and changes"],
  [["read"], "Reads"],
  [["write"], "write"],
  [["read", "tasks:write"], "read, tasks:write"],
])("a program with the scopes %j is not said to do less or more", async (scopes, rights) => {
  const token = { id: "1", name: "Editor", created_at: "2026-11-24T09:00:00Z", last_used_at: null, expires_at: null };
  shown(new Server({ "/api/v1/auth/tokens": page([{ ...token, scopes }]) }), <Programs />);

  expect(await screen.findByText(`${rights} · not used yet · without an end`)).toBeDefined();
});
