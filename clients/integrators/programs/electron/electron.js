/** Electron's modules as the example's main process uses them, for Node: what it registers can be called. */
import { EventEmitter } from "node:events";

export const handlers = new Map();
export const sent = new EventEmitter();
export const shown = [];

const folder = process.env.ELECTRON_USER_DATA;
const events = new EventEmitter();
export const app = {
  requestSingleInstanceLock: () => true,
  whenReady: async () => undefined,
  getPath: () => folder,
  getVersion: () => "1.0.0",
  getLocale: () => "en",
  quit: () => undefined,
  on: (name, act) => events.on(name, act),
  emit: (name) => events.emit(name),
};
export const webContents = {
  isDestroyed: () => false,
  send: (what, ...told) => sent.emit("sent", what, told),
};
export const windows = [];
export class BrowserWindow {
  #isDestroyed = false;
  constructor() {
    windows.push(this);
  }
  get webContents() {
    if (this.#isDestroyed) {
      throw new TypeError("Object has been destroyed");
    }
    return webContents;
  }
  isDestroyed() {
    return this.#isDestroyed;
  }
  destroy() {
    this.#isDestroyed = true;
  }
  async loadFile(file) {
    sent.emit("loaded", file);
  }
}
export const dialog = { showMessageBox: async () => ({ response: 1 }) };
export const ipcMain = { handle: (name, act) => handlers.set(name, act) };
export class Notification {
  constructor(options) {
    shown.push(options);
  }
  show() {}
}
export const powerMonitor = { on: () => undefined };
const turned = (bytes) => Buffer.from(bytes).map((byte) => byte ^ 0x5a);
export const safeStorage = {
  encryptStringAsync: async (text) => turned(Buffer.from(text)),
  decryptStringAsync: async (bytes) => ({ result: turned(bytes).toString() }),
};
