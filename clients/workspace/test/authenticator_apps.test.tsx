import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { AuthenticatorApps } from "../src/pages/settings/AuthenticatorApps";
import { RpcProvider } from "../src/rpc/RpcProvider";
import { ScriptedStore } from "./rpc";

const APPS = "/api/v1/auth/authenticator-apps";
const PHONE = { id: "a1", name: "Phone", created_at: "2026-11-20T09:00:00Z", last_used_at: null };
const BEGUN = { id: "a1", secret: "JBSWY3DP", qr_code: ["10", "01"] };

/** A server with these apps, whose password is “right” and which has no second factor yet. */
function shown(apps: (typeof PHONE)[] = []) {
  const rest = (method: string, path: string, body?: { password?: string; code?: string }) => {
    const refused = (message: string) => ({ status: 403, body: { code: "refused", message } });
    switch (`${method} ${path}`) {
      case `GET ${APPS}`:
        return { status: 200, body: { results: [...apps], next: null } };
      case "GET /api/v1/auth/recovery-codes":
        return { status: 200, body: { left: 9 } };
      case `POST ${APPS}`:
        return body?.password === "right" ? { status: 201, body: BEGUN } : refused("The password is wrong.");
      case `POST ${APPS}/a1/confirmation`:
        if (body?.code !== "123456") {
          return refused("This code is wrong, or was used already.");
        }
        apps.push(PHONE);
        return { status: 200, body: { recovery_codes: ["abcd-efgh", "jkmn-pqrs"] } };
      case `DELETE ${APPS}/a1`:
        apps.pop();
        return { status: 204, body: null };
      default:
        return { status: 200, body: { recovery_codes: ["tuvw-xyz2"] } };
    }
  };
  const store = new ScriptedStore({ rest });
  render(
    <RpcProvider rpc={store.rpc}>
      <AuthenticatorApps />
    </RpcProvider>,
  );
  return { store, user: userEvent.setup() };
}

test("an app is added by its QR code and a code, and recovery codes are shown once", async () => {
  const { user } = shown();
  await user.click(await screen.findByRole("button", { name: "Add an app…" }));
  await user.keyboard("wrong{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("The password is wrong.");
  await user.clear(screen.getByLabelText("Your password"));
  await user.type(screen.getByLabelText("Your password"), "right{Enter}");

  const picture = await screen.findByRole("img", { name: "QR code with the secret" });
  expect(picture.querySelector("path")?.getAttribute("d")).toBe("M4 4h1v1h-1zM5 5h1v1h-1z");
  expect(screen.getByRole("region", { name: "The secret" }).textContent).toBe("JBSWY3DP");
  await user.keyboard("000000{Enter}");
  expect((await screen.findByRole("alert")).textContent).toBe("This code is wrong, or was used already.");
  await user.clear(screen.getByLabelText("Code that the app shows"));
  await user.type(screen.getByLabelText("Code that the app shows"), "123456{Enter}");

  await screen.findByText("abcd-efgh jkmn-pqrs");
  expect(await screen.findByText("Phone")).toBeDefined();
  expect(document.activeElement?.textContent).toContain("They are shown only now.");
  await user.click(screen.getByRole("button", { name: "Done" }));
  expect(screen.queryByText("abcd-efgh jkmn-pqrs")).toBeNull();
});

test("an app is removed, and recovery codes are renewed, after a confirmation", async () => {
  const { store, user } = shown([PHONE]);
  await screen.findByText("9 recovery codes are left.");
  await user.click(screen.getByRole("button", { name: "New recovery codes…" }));
  await user.type(screen.getByLabelText("Your password"), "right{Enter}");
  await screen.findByText("tuvw-xyz2");

  await user.click(screen.getByRole("button", { name: "Remove Phone" }));
  await user.keyboard("right{Enter}");
  await waitFor(() => expect(screen.queryByText("Phone")).toBeNull());
  expect(document.activeElement?.matches("section")).toBe(true);
  expect(store.calls("rest")).toContainEqual(["DELETE", `${APPS}/a1`, { password: "right" }]);
});

test("a form that is cancelled gives the focus back to the button that opened it", async () => {
  const { user } = shown([PHONE]);
  await screen.findByText("9 recovery codes are left.");
  for (const name of ["Add an app…", "New recovery codes…", "Remove Phone"]) {
    await user.click(screen.getByRole("button", { name }));
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect(document.activeElement).toBe(screen.getByRole("button", { name }));
  }
});
