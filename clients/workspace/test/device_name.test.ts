import { expect, test } from "vitest";
import { deviceName } from "../src/store/device_name";

const MOZILLA = "Mozilla/5.0";

test.each([
  [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36`, "Chrome on Mac"],
  [
    `${MOZILLA} (Windows NT 10.0; Win64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0`,
    "Edge on Windows",
  ],
  [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`, "Firefox on Linux"],
  [`${MOZILLA} (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
  [`${MOZILLA} (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36`, "Chrome on Android"],
  ["Something else", "web"],
])("a browser with the name %s is called %s", (userAgent, name) => {
  expect(deviceName({ userAgent })).toBe(name);
});

test("Brave does not call itself Chrome", () => {
  const userAgent = `${MOZILLA} (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36`;
  expect(deviceName({ userAgent, userAgentData: { brands: [{ brand: "Brave" }] } })).toBe("Brave on Windows");
});
