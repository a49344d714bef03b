// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "2ca1e5f8ee200254";
const FILES = {"/app/assets/SettingsPage-hGAwa2av.js":"14de75679ef7aaa7ba6030eb6300885a3f27bf0a10fa7c53268005bb7428b3bf","/app/assets/automatic-BzeAsCtN.js":"61028bb39ab2e3248bc4f4d092b6ee6dc16226eea6f6a2735bcc01861e70ee78","/app/assets/automatic-DxrBTGrh.js":"457597554ad215328b04145d4594036742ffe40cad3751d0d04aa02c25de3d89","/app/assets/index-BpLAUtrn.js":"5e2bbc08f816aaad0741c8b8d676d4c00971a1b9069a9d4d9413bad7ed371630","/app/assets/index-C3uxK90j.css":"5d448f5ff210d8caff2dc02c2d48b7d562b7e20765e1d718660e4e7337441929","/app/assets/it-BKW1wcNq.js":"976a4679cb9c21ae0e079b9f8397ed4e638ee85e0dc1d1e70d3c28a69a58ccf7","/app/assets/it-DAnhspU9.js":"3dd9b348c6e865c2382ee008f1fa4fa89bb5d54605068ff47824c5492ff252d9","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/translate-Z476A5Ba.js":"36b1b1ae3ec4674468e177d83ded1c987856edfa1cd8776bb06313950f011c2b","/app/assets/useRest-D1Fcap68.js":"f22b1576022eed9b4d32e52b7e83161f4f69b419d8d35de1b57fb9fe14427587","/app/assets/worker-B8h1Xe8I.js":"0a9a1683c2dd6e339c8aa2cdbd7f9adc426c333b9a644b750742f14acad0d4a3","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"914a3e64db16971022f9078c88054dd3e79c154a39bc70bab393e40876b6ec2e","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
