// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "fef87864510b1b8b";
const FILES = {"/app/assets/SettingsPage-B6rtug2C.js":"46ca764a9d8bbf376ab65d4bf9810cdeac94e8836f67ced4af514aa2f3e92b60","/app/assets/automatic-C3YuTL06.js":"95bc93442ef1bf6d9799f812f842c49d3f9880263d8e4a11119d802876000a38","/app/assets/automatic-Cvvopep5.js":"588bee8481d2e140350bbe6ae45549e2db7f566937c0c8c25bafb764f8072003","/app/assets/index-C3uxK90j.css":"5d448f5ff210d8caff2dc02c2d48b7d562b7e20765e1d718660e4e7337441929","/app/assets/index-Vkv9H3d6.js":"bcc0499a5008db9b4f785bb39e73987f211f3d6a28fe0bd08059db8bff3763e4","/app/assets/it-D1dPeujz.js":"0999fd9618c61d598ed163e6d7e0364e971e7797f70b378dd3113c467ed54e36","/app/assets/it-WvnUzaao.js":"ef683a1e8f27709bc69b68f19f15960a4b4be59c10c0bb30c326291c108883dd","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/translate-CGU8Fz1x.js":"4517cc49e647d063c73a8b9cb15acf5b544159a23dfbbf08b3cd933692a1f986","/app/assets/useRest-CUVkpZoy.js":"007776605f41971cd16c20bc3806659495fa53db7a94283ce7944ffea4b632fa","/app/assets/worker-CfD6Uvkt.js":"2c4c20f328fba0c43b0d9e43da1343dc528eb1253e9831d8c6e6e808b3ea4304","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"25eb1e5ad8764f5cb8ba20d4b45c2dc2f2c5b4839fdc3ce4e4e3241c1e1c2432","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
