/** A host of MCP Apps by the extension's own SDK: it shows a page in a sandbox of another origin. */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

window.told = { links: [], sizes: 0 };

window.show = async (html, result, { theme, locale, timeZone, openLinks }) => {
  const frame = document.createElement("iframe");
  frame.title = "View";
  frame.sandbox = "allow-scripts allow-same-origin";
  frame.src = "https://sandbox.example/";
  document.body.append(frame);
  const capabilities = openLinks ? { openLinks: {} } : {};
  const bridge = new AppBridge(null, { name: "host", version: "1" }, capabilities, {
    hostContext: { theme, locale, timeZone, displayMode: "inline", availableDisplayModes: ["inline"] },
  });
  bridge.onopenlink = async ({ url }) => {
    window.told.links.push(url);
    return {};
  };
  bridge.onsizechange = ({ height }) => {
    window.told.sizes += 1;
    frame.style.height = `${height}px`;
  };
  const ready = new Promise((resolve) => (bridge.onsandboxready = resolve));
  const initialized = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  await ready;
  await bridge.sendSandboxResourceReady({ html });
  await initialized;
  window.told.view = bridge.getAppVersion();
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
};
