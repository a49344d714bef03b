// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "ab2f6c97d12e0829";
const FILES = {"/app/assets/SettingsPage-CUV2E3FU.js":"24a755b3aa1c828377f2a2769c2da16a2e9af7ca36aa6b6980fbeae2a800146f","/app/assets/automatic-DAimyxA9.js":"6d8f283f2bf76f066c38779e721d3cfbdd3c1e6d614a75c29753b2e9539ceb65","/app/assets/automatic-DQYUQXuW.js":"f8341f856f12947595344441ce64456b6f0301fb28a9d12a907fae1d986a8632","/app/assets/index-Cuec6ZeE.js":"e6f56dffd361d9ed813c8239f1ab77b5ab88ab4c54ef01e3361cfb79a59a6ff7","/app/assets/index-fB5cj7YD.css":"412b0aa9ad12862e74f85b2d32f8bb268a0c0a8a64056a314a60b84791d5f228","/app/assets/it-RgbI3J6k.js":"f3c4b7da4c38454fc5fce06105fe4a74b37d34fc0d61dc11fb1a5b2b778483f6","/app/assets/it-sahV6TnO.js":"ec8a6ce5e7179f7c2b4c1fed46ca38c1491e056966cc030961fb1ec1fd2ce360","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/translate-CPUH1rLn.js":"e03871484497e4698c439d6f8d90e9b18d558bf231f422f6c2dde9fe7d310850","/app/assets/useRest-BrS4KYY2.js":"9158a690b33551a3cca3dba66900edb977d3c55dc66a95fab3007e7538bc215b","/app/assets/worker-CZxy-u_K.js":"aa5969a1dfc0e434256f17381bb93349237d7d0761416012db52d62c7cd370e7","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"b8685889693be2b683b697b6e3dc4ac8b5b73a9cd0737514d7f9c1e8e7bf65dd","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

const BASE = "/app/";
const ASSETS = `${BASE}assets/`;
const PAGE = `${BASE}index.html`;
const CACHE = `workspace-${VERSION}`;

self.addEventListener("install", (event) => event.waitUntil(fill()));
self.addEventListener("activate", (event) => event.waitUntil(begin()));
// The user has agreed to the new version.
self.addEventListener("message", ({ data }) => data === "activate" && self.skipWaiting());
self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin || !pathname.startsWith(BASE)) {
    return;
  }
  if (Object.hasOwn(FILES, pathname)) {
    event.respondWith(answer(pathname, request));
  } else if (request.mode === "navigate") {
    event.respondWith(answer(PAGE, request));
  }
});

/** All files or none: if one is of another version, as during a deployment, the browser tries again later. */
async function fill() {
  const cache = await caches.open(CACHE);
  await Promise.all(Object.entries(FILES).map(([path, digest]) => add(cache, path, digest)));
}

async function add(cache, path, digest) {
  // The names of assets contain a digest, so that of an older version is as good.
  const isAsset = path.startsWith(ASSETS);
  const known = isAsset ? await caches.match(path, { ignoreVary: true }) : undefined;
  const file = known ?? (await fetch(path, { cache: isAsset ? "default" : "no-cache" }));
  if (!file.ok || (await digestOf(file.clone())) !== digest) {
    throw new Error(`${path} is not that of this version.`);
  }
  await cache.put(path, file);
}

async function digestOf(file) {
  const digest = await crypto.subtle.digest("SHA-256", await file.arrayBuffer());
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function begin() {
  const older = (await caches.keys()).filter((name) => name.startsWith("workspace-") && name !== CACHE);
  await Promise.all(older.map((name) => caches.delete(name)));
  await self.clients.claim();
}

async function answer(path, request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(path, { ignoreVary: true })) ?? fetch(request);
}
