/** Starts the example's main process and does what its page would: sign in, ask, read tasks. */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { app, handlers, sent, webContents, windows } from "electron";

const [main, email, password] = process.argv.slice(2);
const loaded = once(sent, "loaded");
await import(main);
await loaded;
const call = (name, ...given) => handlers.get(`adiuva:${name}`)({ sender: webContents }, ...given);

const texts = [];
const changed = new Set();
const ended = new Promise((resolve, reject) => {
  sent.on("sent", (what, told) => {
    if (what === "adiuva:event") {
      const [, event] = told;
      if (event.type === "text") texts.push(event.text);
      if (event.type === "end") resolve();
    } else if (what === "adiuva:changed") {
      changed.add(told[0].table);
    } else if (what === "adiuva:failed") {
      reject(new Error(told[1]));
    }
  });
});
await call("sign-in", email, password);
await call("ask", "Create a task called Buy milk");
await ended;
const tasks = await call("tasks");
const session = await readFile(path.join(app.getPath(), "session"), "utf8");
// A program that quits has closed its windows by then. What fails now ends this one with an error.
for (const window of windows) window.destroy();
app.emit("will-quit");
await new Promise(setImmediate);
console.log(
  JSON.stringify({
    titles: tasks.map(({ title }) => title),
    changed: [...changed],
    hasAnswer: texts.join("").includes("Buy milk"),
    isSealed: session.length > 0 && !session.startsWith("eyJ"),
  }),
);
process.exit(0);
