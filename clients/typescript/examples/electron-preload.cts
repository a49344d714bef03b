/** The only functions that the page may call. It sees neither tokens nor the database. */
import electron = require("electron");

const { contextBridge, ipcRenderer } = electron;

contextBridge.exposeInMainWorld("adiuva", {
  signIn: (email: string, password: string) => ipcRenderer.invoke("adiuva:sign-in", email, password),
  ask: (message: string) => ipcRenderer.invoke("adiuva:ask", message),
  stop: (requestId: string) => ipcRenderer.invoke("adiuva:stop", requestId),
  tasks: () => ipcRenderer.invoke("adiuva:tasks"),
  on: (what: "event" | "failed" | "state" | "changed", tell: (...told: unknown[]) => void) => {
    ipcRenderer.on(`adiuva:${what}`, (_event, ...told) => tell(...told));
  },
});
