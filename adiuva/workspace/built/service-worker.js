// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "18b4b56e95aede90";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-n5z4ozrf.js":"e40820cee12dfe95d32b0796e0c66c7524aa3dfbe9042f8912d7968f9aafe753","/app/assets/CheckpointDialog-CNAL_vVq.js":"f997a0fd64aa40291601e1e1afa4e4d019cdae42bfaa83fa257bc1e70211e020","/app/assets/ChoiceList-BAFgbch-.js":"d1a8ff6d5e388c9616123440f8f53cd04711eade250907b957b29de31f74c02e","/app/assets/CommandPalette-C71I5Inf.js":"fc911ba906d08821272f661675a32db8e9dc552abb57b6286fd3e65557445de6","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CpRPOuOy.js":"25d196104d6681c8bea806fbed72f63ccc78521b47048dc3b44e3cb2479491d1","/app/assets/DialogActions-5ydWnXvw.js":"bd87e1b19b0d7ed3ca227cbec1900201936f6c8dc0aeeeda4467bb7edcd978a6","/app/assets/Drawing-CPoYNVrO.js":"2a94c8868bca96c683b6f5673b8a5949c0e0f98fc458588945c0f48e4842eef4","/app/assets/EmptyState-fGMojrhq.js":"7a037936a5881be52b2d236daf5aa4016080a53fee167d2d60494632e3991d2d","/app/assets/GanttStrip-FVGyhFf0.js":"34eff3230835d3d0bd52716c0d996409251b8e4234747c87653462ca37ad9224","/app/assets/HeadingInput-DX_0qcUP.js":"128f036b43c1be1acaa982544722a0759e024c3733483e86f63f2fe762d35161","/app/assets/Highlighted-Babk1es9.js":"0d445aae89c8b3274ae2e1df86f0ef15ad6fd79b5a3648b6617d67be58f36eda","/app/assets/HistoryPage-BGRvzJRV.js":"0da0482a042a3003d7d4c6f88263731e735a60a1ad4020c17ddc5361c7c572b4","/app/assets/KeyHelp-6-exYQ1c.js":"88cae19a7df63065a985d76626eb33a36d1cdbcb2860a1422228e62b459b235f","/app/assets/LongList-y7AVb8mN.js":"2b4453254ad6f46379eaa289e9ddb80913332bd36a10044bbc1213361845fb8f","/app/assets/MarkdownEditor-U1iM4LE5.js":"b096c3426572f8ee42e5d37976c7e367edc8158dd1b297e651a3bce2dc1d69a8","/app/assets/MomentFields-DITFuKXA.js":"46b912cca500790e5e05cb2dc6bbbf2e117516448f309a2ee1b19846ab112560","/app/assets/NoteCards-BTCqXOFN.js":"a0d39eaf0d907ffaf9f696d74fe8cbbe968830d8fa378736dc59117ace23a281","/app/assets/NotePage-BPRCt8eX.js":"8f6892fd7fae1569c9163f6d1e32556acee82d793a40d9142d8f906530dfb7c6","/app/assets/NotesPage-DPLTnJd3.js":"d250f4d6dcc10f4e93f73041f374bba3eeeed3d7afe3f3cfc2e037d590726121","/app/assets/ProjectPage-CZXAvu4r.js":"e01e17d03ec22f6f8fb82b07aad31e2c0c0f0324314ec824cea6898055d96c59","/app/assets/ProjectSelect-BhEEXBAW.js":"7c9941f97b8c973f5a0d0122940f316396c4fa39d9574998ced3af77cee9a968","/app/assets/ProjectsPage-BaNJydrg.js":"6a0b92f25888a18ce8bf123154e9a1e89f4ed4b91ff1e37bde6c5aaafde52632","/app/assets/Rendered-BB8cb58L.js":"3125d8a6a6d3f00880399428e7bfdd1cc4fb8a3234b314299c05675be9f4aa00","/app/assets/SettingsPage-C-AKiLT1.js":"37b6eb8118ab4fb749d953dc5e1b32f9263eeb9dbe1fb0d0870c40700ad4efbb","/app/assets/TaskBoard-HDE8u-Bq.js":"77bc43bf663054da4f6bec5e5c449f1c230437b2528b9fbda39f4f6a8ec9a0a0","/app/assets/TasksPage-QuQxE36k.js":"9385696bf2507a03ae9a68e21d82a7f0ebc79a7850184336b07a7407c4c99358","/app/assets/TimelineBlock-BR1t-N2H.js":"d0a426a793e06d7a13cdcf4d24e41001f38d1d3558bf9978572fa8a70a9888bf","/app/assets/TimelinePage-BQr0Gknf.js":"dd54078d2e03100ca78a8980b79962ccc9fce104beed6233386757b1df339ae8","/app/assets/automatic-CYIhhm5D.js":"ec307d9657f146e34afdd6981386c53ce1e1ae611c3f55722208939815b666b4","/app/assets/automatic-g6wF5ukR.js":"126e84d2c45875eb3dd4ade6b56b98ce59dea5cb010845ea3366f9bfa204ade3","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CmxjDPIF.js":"22ef45c3aa776a04591035ea4e7396358b4cff9f61447229e3cdaa11b599d273","/app/assets/copies-kUxdFp4j.js":"a9f3a6e8b2cd4b4b518a606cba3fae3822c5e0fdb7d7fdddec7f5f0d008853bf","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-HgPkZIrU.js":"0e6a9680eed19e774bc45e9e1cc3f07975a820429de6817f36c01fddc5488704","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-D9qKwTP4.js":"e00f74c4071d85aff839b4b9e0a2a901ab19b3596c5b4468d26cf11345ab96f1","/app/assets/first-B2BbtUjO.js":"9cf252a0073a2edf290507dff9f772be4e87df795d65770c1403769350b9789c","/app/assets/first-CKoqJ3xY.css":"b44496c03cea38e3915d30492338d74dc0e3e1a2bc53bb248997b798619e08ab","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-Dj-j2YgY.js":"d163762425def5c044410b7732d4acfb1bf17b96cd670dbe003aba1bc25481df","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-Bhn9j92I.js":"f587ba4b7b2e85c95268f3fab5ee00cf5f2bcf49a9379d15058c8a083d53c679","/app/assets/projects-BNRnVfs_.js":"bde8aa5058ab87754a5696a5f92c713887e617bbe56d71bd8b042556627e7b62","/app/assets/read_worker-9K875g45.js":"1c3f713e25e5e31e0537c9b5dbd018d37ee634bced3bf754d0f586f79d034987","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Dpk_7DFL.js":"fea0903d05d566de5bb4262ce727de99d790f52c522050ff3fab180054cf0c7a","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-DSbBCHbH.js":"2ab0af6069ffffb04ee1065703b530bd191ab250aabd9b54ee6b4bd77111640e","/app/assets/useRest-CEFGjeed.js":"9c1b3ad02fd35d7112136bf7f1834621d1c943b8a53efea59b08e7197127fdc1","/app/assets/useTaskActions-BV1zBdT8.js":"4f40dde0a99f3d860bb5109992e909c50a4c2fa13d13ec737ddae73af182945f","/app/assets/useWidth-Dd5lhqHv.js":"ee8c067ab91a58eb27d67c3f0e43a32eb8cfdb486d732e403709f8067226c396","/app/assets/worker-BoNzOL5z.js":"21840579bfb070e87a17160bb18a56fdca0f60dbd80ae4da949da950e8573fec","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"21e85071373bfdd7b25c59b3846402746c46d2247719b46673ce6ad669752c61","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
