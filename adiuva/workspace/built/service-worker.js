// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "b8a217ef76032750";
const FILES = {"/app/assets/Cards-C_3sfFAn.js":"8f24231e529cfbd7f2409447d53004e2d5c6ec13fbe8715ee4306ac5cb9e4091","/app/assets/CheckpointDialog-J6i1Kgy5.js":"caac06846659fec11721d580f379b0ad711cea5c31bee64c90dcfa05b7b250f0","/app/assets/ChoiceList-1qNt83GJ.js":"a83c78b06140b5ab5236c07fa65489dfa621e2e599dffa577dd29b837a5e17b9","/app/assets/CommandPalette-gStVdMxG.js":"e14f0abaf9d323180bd8f918a12331ae082e2c5986bbaa74b4b435c8f4e76bec","/app/assets/DatePicker-B3L4Aho_.js":"017daa30baffc29ab0490bf57b5162e8f059fa24be48652ffd5ac14fc9181d06","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-CNoPJCP1.js":"e674dc161150f63d305f775adf2ac75c68a07fd03ffd6b42967cdd2502cfd0cb","/app/assets/Drawing-C1_I0ZPl.js":"5f608a62e12bbcd4a467fa2f8229e6eaa8647b682703bc27565b5814d5486f4e","/app/assets/EmptyState-C1t29gKg.js":"f158cbf1a0badf4547e2b2c226d603fce0b34aabb6ab2ff62888b1c7cfc4fac6","/app/assets/GanttStrip-DcYkRYMf.js":"294a4adc392d6ea555e68d4f73eb889bf0bf0b6460cd3e51bf5902827e2cfd00","/app/assets/HeadingInput-CeMIT0jF.js":"2204477c21e4c0b9ecbaab12e89610fcb4f3fb775f73429585865b6ef725373d","/app/assets/Highlighted-qcms2NYf.js":"4dcb70224c4631931f562bfade4979833f3914ee3285f0ccca39646f30dd5921","/app/assets/HistoryPage-CFEsu9h5.js":"ff0aa67f47af8c4f67d555e80f94a30dce7faedd78fb068473545b904f694ffd","/app/assets/KeyHelp-BOebzlNx.js":"613e126579855a7e34c78f0eedd217ca33970a7ddcfa19580faf076ae5843ec9","/app/assets/LongList-D94lGMvg.js":"42344dff13808263499b1d87ff4c365c3b01bbc410270e26b8acf34252b0731c","/app/assets/MarkdownEditor-DrUdi1Wp.js":"40473e5ee8f734e1f7233a23842bd0d4cda42bd2bafe6ad918549a73327a5bd4","/app/assets/MomentFields-DzKD1I-m.js":"718103abef6f158fbe57cfb87f98757e60b24b40f95f32e6ed133ed35ce820ab","/app/assets/NoteCards-DpnWctFP.js":"fd04ebbc6c8fa0c7a96175fb53317515203bc541a7bae79fef82a89556b2f733","/app/assets/NotePage-BcpxyH8V.js":"0a93f86bb2bcfa0eceb4f3e30bfa7fbeb50189fdd16356c1c6882a260b080e7a","/app/assets/NotesPage-Dy33mYHh.js":"88084b0e7b7464be60a55c0c530fab8ffa3955cc343678f10cc81f13f5eca70d","/app/assets/ProjectPage-DDcr0nIL.js":"7345ad18c1a41bed6accd000db4f1c1b91d8637568f98a58e006ac2c673dcec9","/app/assets/ProjectSelect-ChRHh-Eu.js":"a3b23cb90a473aad16181f25a389677132c13e5b90a06be4cf0fa950e5d71e4d","/app/assets/ProjectsPage-DFonnFFt.js":"f3234a7ae84e81a0e5446144b64192d5b6f5e2899b5acf533b741e4313b270aa","/app/assets/Rendered-D7qdof7-.js":"c9140c29861a04d4439b5b3d0733c0fc509a52493570a0816782023c749c209d","/app/assets/SettingsPage-DCLfeUp2.js":"66a675451c435d0c66e445717f2743861bc20103a600b762849a34eaa9ee88ef","/app/assets/TaskBoard-BoiHFt_P.js":"881558ca8a598323a573b00deb268933d55bff535a9fcae4a3027e4eae1db7eb","/app/assets/TasksPage-DXbpL37v.js":"1248789d217b65afdeb5dc36fcbdba73f53ccc6bcfe51f4aa08b1aedc95247c9","/app/assets/TimelineBlock-c9-5KLRf.js":"d56e462bf34d212871320f245c71aa590aaf973f864fe54d32d0a422890e8256","/app/assets/TimelinePage-qiR88jUD.js":"2e385460513df6ec87ec4c66e98ec02f509207a7a99f834923400eb4350ea212","/app/assets/automatic-DM5IgQWd.js":"42e06c488586ce3d8bdb7d013553962565847089d93cc8ea644d653743806963","/app/assets/automatic-dYxfs4f0.js":"0263c9fdd19d9da5379fe549a2a85134111bcd402902d5c1590b07b63abf54c7","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-9b1x4694.js":"5cb7bdd8e2d4bd47e7455b5ae2c04cf7315e2b72107b74d9c01ab21c219cc8ca","/app/assets/copies-CqjcCnO5.js":"5ac00eda123841017ad8eb0fee7ae2a65ffeba28eabcd9013dbab750dde58ce9","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-B6bEuH-R.js":"f7b1d5f832c45e52584b2e3012eab0301b7c80729ad374aa797665cb2a4f6349","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BJhTntNU.js":"a27dc6dd87fa7e65653b227b085f40c2a26b4bba5b36d9a23c7d9fe3ce0773b5","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-DfWZsrPv.js":"7798e0a3a0fbb2260194276f2d82e5fa0cbf4a61df927e96d08d706fc85e7a0c","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-FKfu8YBx.js":"366432fc9de353f9e51df7181a430b83d05792b9e02d54ef84d2d14468c75bb7","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DpZh21Zj.js":"b6c2ae1d8148d0bece6fa8cb84862fd4a91ec43d61d2cd39a60a6739a933dda6","/app/assets/projects-BrgvvhvY.js":"c5d84b12d6010bd687861bf4c6b39a7b3a1c08f8272ab5d9f3c6109816d28a1b","/app/assets/read-By802422.js":"f333a725b17954eba2f775206e96a0536263e6ab54921493023746b6ce510491","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-CB3rw2gX.js":"0eaa3c6fec7396e51a2ea4334f77e99971707e8a1bdd511bc03723cf9f6cb8db","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CGvrYowZ.js":"2897bf9c269e910320d9257da386e3d2681a87e41f8dc877fc340ba13e42455a","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CVydbR9j.js":"c91914845ec9090afad06adcccd410a0f3fa6edcd13ecac3c16404288c56ae6e","/app/assets/useRest-BZAzspdr.js":"4f337c521741937c72c34f8b8d7c82469da93198ef9b3caaf7f12c4f95947939","/app/assets/useTaskActions-DUIU9SZ-.js":"70ce0c411279926dbbae74f907c24b3b5b9929c0feecd7df5757ce13e095ca9e","/app/assets/useWidth-D87qwRv5.js":"f8b1e232139787520316b7e9df5f04a8c903e7575e98cdaeb61cfac76347c131","/app/assets/worker-BK_5lKsD.js":"56d8b38b0a2dacfd068fa328a51f2a0ddbf4c32380b58ebe07270431228ab491","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"3858068d1905ba7a835b5f68a6dcbad37872932fa3bc0e78e8d341f67cb6b39e","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
