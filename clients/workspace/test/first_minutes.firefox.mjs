/**
 * The first minutes of a new user in Firefox, over WebDriver BiDi: `node first_minutes.firefox.mjs ADDRESS FIREFOX`.
 * Prints a line for each step, and fails with the first that does not succeed.
 */
import puppeteer from "puppeteer-core";

const [address, executablePath] = process.argv.slice(2);
const PATIENCE_MS = 60_000;

const browser = await puppeteer.launch({
  browser: "firefox",
  executablePath,
  headless: true,
  // Wide enough for the column of all pages.
  defaultViewport: { width: 1280, height: 800 },
  extraPrefsFirefox: { "intl.accept_languages": "en-GB", "dom.serviceWorkers.testing.enabled": true },
});
try {
  await story(await browser.newPage());
} finally {
  await browser.close();
}

async function story(page) {
  page.setDefaultTimeout(PATIENCE_MS);
  const faults = [];
  page.on("pageerror", (fault) => faults.push(String(fault)));
  const button = (name) => page.locator(`::-p-aria([name="${name}"][role="button"])`);
  const field = (name) => page.locator(`::-p-aria([name="${name}"][role="textbox"])`);
  const link = (name) => page.locator(`::-p-aria([name="${name}"][role="link"])`);
  const sees = (text) => page.locator(`::-p-text(${text})`).wait();
  const did = (what) => process.stdout.write(`${what}\n`);

  await page.goto(`${address}/app/sign-up`);
  await field("Email address").fill(`${crypto.randomUUID()}@example.com`);
  await page.locator("input[type=password]").fill("correct horse battery staple");
  await button("Make the account").click();
  await button("Load example data").click();
  did("made an account, whose data is in OPFS");

  await link("Projects").click();
  await page.locator("main .card ::-p-text(Garden)").click();
  await sees("Prune the apple tree");
  did("looked at a project of the example data");

  await page.keyboard.press("q");
  await page.locator("dialog[open] input[role=combobox]").wait();
  await page.keyboard.type("Call Anna tomorrow 5pm #Garden !high");
  await page.locator('[role="option"][aria-selected="true"]').wait();
  await page.keyboard.press("Enter");
  await sees("Added: Call Anna");
  did("added a task in one line");

  await link("Tasks").click();
  await page.locator('::-p-aria([name="Done: Call Anna"][role="checkbox"])').click();
  await sees("Undo");
  did("ticked it");

  await link("Home").click();
  await field("Message to Adiuva").fill("Which projects are there?");
  await page.keyboard.press("Enter");
  await page.locator(".message.assistant .entities").wait();
  did("asked, and saw cards");

  await page.evaluate(async () => {
    await navigator.serviceWorker.ready;
    await new Promise((done) => {
      const look = () => (navigator.serviceWorker.controller ? done() : setTimeout(look, 50));
      look();
    });
  });
  await page.reload();
  await link("Notes").click();
  await sees("Tone of the texts");
  did("reloaded, under a service worker, with all data");

  await link("Settings").click();
  await link("Data").click();
  // Firefox has no File System Access API: the backup is a download.
  await button("Back up by downloads").wait();
  did("is offered backups as downloads");

  if (faults.length > 0) {
    throw new Error(faults.join("\n"));
  }
}
