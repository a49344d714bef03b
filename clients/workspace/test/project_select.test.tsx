import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { ProjectSelect } from "../src/parts/ProjectSelect";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { loadTables } from "../src/rpc/tables";
import { ScriptedStore } from "./rpc";

const PROJECTS = [
  { id: "p2", name: "Roof", status: "archived" },
  { id: "p3", name: "Boat", status: "archived" },
  { id: "p1", name: "Garden", status: "active" },
];

test("the chosen project is shown, although the names come after the first paint", async () => {
  const store = new ScriptedStore({ select: () => PROJECTS });
  loadTables(store.rpc, ["projects"]);
  render(
    <RpcProvider rpc={store.rpc}>
      <ProjectSelect label="Project" none="None" value="p2" onChange={() => undefined} />
    </RpcProvider>,
  );
  await screen.findByRole("option", { name: "Garden" });
  expect(screen.getByRole<HTMLSelectElement>("combobox").value).toBe("p2");
  expect(screen.getAllByRole("option").map(({ textContent }) => textContent)).toEqual([
    "None",
    "Garden",
    "Roof (archived)",
  ]);
});
