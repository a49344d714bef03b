// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "d81245416578090f";
const FILES = {"/app/assets/Cards-DCNNxVOY.js":"fe86283b3ee224942b8e1f69634ab1dbef9b2341275fe57f40c49dd92d88f345","/app/assets/CheckpointDialog-CrQJfpYh.js":"755bcf3cec54e54dd24c5be9b78f6dd8be8b835cd72f6d3b98a03f886ebabb59","/app/assets/ChoiceList-YC2CsINW.js":"56fda0e119825959cc19b4037af3192a58f945322f325578cd8eb2e01bf865f6","/app/assets/CommandPalette-CjyXrbVO.js":"0ef0831a54ed7184d59017da133697e6bfce1f596f090695d00ad5fc12277180","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CbIkyyxu.js":"270f3a30300c1b2ff619c7af314611b28ad9d9ae0258c1b6a2f12ab674f25ef8","/app/assets/DialogActions-BQekSZEk.js":"47bd876df30573dd97d30fd94976a7a2cd7c9ef5adfac8f370d5a3a749c644ce","/app/assets/Drawing-DJTKnehW.js":"4dd5b6eb1c1164746a0c1bb784e71b37d6c830a591cec2890c5dde2e04cc7444","/app/assets/EmptyState-CMJcBgy_.js":"bb8c18fa177280e56dced984b019a28a0f286435af21ca4ceceb20b5e3e63727","/app/assets/GanttStrip-D3fu5BwX.js":"bc65f07803cab819721b153251e1521bdcfa4bf40685381be1a16bf45de0747e","/app/assets/HeadingInput-DNJobkdi.js":"9264bf5cd45a59c01eaa6fb010880c6da981453fcb40dfed78b09fd21930ff98","/app/assets/Highlighted-CB800hNF.js":"7d989568ec0d587d76a73849376f3e069056039ed80609635f96b650064647cb","/app/assets/HistoryPage-D_Oo21w9.js":"aed330794c2242e6797c642dfd60be98ccaeef8bebf65e6b5ccc6ea8b939841d","/app/assets/KeyHelp-Csftdnhm.js":"54d9dde6a22a30829ad84e1ef5e101d0c8cb1db0fac40fec89cc2f2346b4902d","/app/assets/LongList-DHKEUUHX.js":"434cafa52a42063acaa4c8f8d77857f30dbff84f8578afe69647ac7d681483b7","/app/assets/MarkdownEditor-M-DAcM_E.js":"515f5cc5c472760bbc1156790943e8351b1b3d91bdf9edefdbca207ba9977bd6","/app/assets/MomentFields-IfK2lRf2.js":"72484f506e0799bbd190cf577de42a8bcb669ccf987121978d8892a8132321fa","/app/assets/NoteCards-DjrayX2i.js":"2b0feebba7c061d3af95e1725fef7a542e10091e9f78d90f60de4cb0ef18d90e","/app/assets/NotePage-BnTNdfvb.js":"4096264fca71f4389789c53afd9fa005bd255f361dd2838d1844dda22130a21c","/app/assets/NotesPage-BizVNZq_.js":"080dd4b6f4518b7ac8b22cc979d6c030e4ebbfa0de2fb13c6d983345db667d5e","/app/assets/ProjectPage-DIR-udBn.js":"2cdeaf9a0ec03aabfa96255bafa23e2e4950e6cf0ce7f06769959cd12bf9bdbb","/app/assets/ProjectSelect-BJ0Oy_J1.js":"6afb390933529cef136d3537a6388ea8f6e448f1e60cdcfc233a96f8db43bf92","/app/assets/ProjectsPage-kFZ5WZM-.js":"c409f2a6cff390a6b159206b1aa0a10e1086d408ad22c7d36c51d7e605d6c7a0","/app/assets/Rendered-icA2VdzO.js":"b4b90308a480e99082c23032dcb083e5952a6d465d6f342f2c0e90bf0c25e434","/app/assets/SettingsPage-B_xc7gdW.js":"88448a4c7acade2b27d535d039c4b6d2d5831ac3dc277dbf354e29032471c614","/app/assets/TaskBoard-BNIKyDpX.js":"d71f233ff724d877291b2b7f1d143dcc0eff205114e55e891f3b617206c9bcad","/app/assets/TasksPage-CfZdAoqw.js":"d732e65a930f4b10ae3407311abf50e941db3d487f84926feb844fa984203e38","/app/assets/TimelineBlock-C_XVbQ1k.js":"2ec516ecd21eae0d51a7c63e771ea63717a7d759fd52cddd723c8fcd044a4eaf","/app/assets/TimelinePage-CexDKcGG.js":"a86416c3495a04c7270177bd44f3855aaca947f195d6bfe526929bfeb2596570","/app/assets/automatic-CKGpYNqy.js":"3ceab0b510cac10db551ff253a83af35ed37b140a994ddd250a9648df6e4a1a8","/app/assets/automatic-CfgFey43.js":"4b039a7a3e510e1b8d7bd931a853986c1a6afe25a1499770584b6c1852174af2","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-sEYWh1c1.js":"5d044fcf8f238574035435dd03949d800dc58cec9a639ae09e9dacb1c5cb6204","/app/assets/copies-CqjcCnO5.js":"5ac00eda123841017ad8eb0fee7ae2a65ffeba28eabcd9013dbab750dde58ce9","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DzZLAKr0.js":"27923a8cd79324a128a46352376f78de192d32112d6286777754cfbcd117e9d3","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BJhTntNU.js":"a27dc6dd87fa7e65653b227b085f40c2a26b4bba5b36d9a23c7d9fe3ce0773b5","/app/assets/first--N4ZzeZj.css":"27821699913db620e42c73023aa3a610214e9775e6ebeac6659a661af62dd39d","/app/assets/first-DJ3LnJL0.js":"315d4ae2f36520716eb6a4441258ecf00c5deda66b488f8253e248371779c773","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-FKfu8YBx.js":"366432fc9de353f9e51df7181a430b83d05792b9e02d54ef84d2d14468c75bb7","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DpZh21Zj.js":"b6c2ae1d8148d0bece6fa8cb84862fd4a91ec43d61d2cd39a60a6739a933dda6","/app/assets/projects-TsqdVpfg.js":"d6a108fc0dd129a4cd577b157e265e479204cea8591064a6f53870846a33cec3","/app/assets/read-By802422.js":"f333a725b17954eba2f775206e96a0536263e6ab54921493023746b6ce510491","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Bpx_cjpz.js":"f3b5e97da4ec91600244978fbf4be514b05537e24280a824ef85592d82c2c1e1","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CGvrYowZ.js":"2897bf9c269e910320d9257da386e3d2681a87e41f8dc877fc340ba13e42455a","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BsjD1BGw.js":"9e0e7745cef87a9a6f04da0f397777470bbe21cde8eb681d618b4bfea83dfc8a","/app/assets/useRest-CFkYRPb8.js":"b26e5987db8b7864688b9cc1939a2e0cd51124116e1ac052473e5c4b06658d49","/app/assets/useTaskActions-DfQRCEJN.js":"5fd9fa32c23bf5b30a8f8335fe000a12f39f3be65366be7e070f39593e75eab3","/app/assets/useWidth-7uBDKUil.js":"190e96c4e87b40258bfee683ef49db431253f8a9584060b0eb11d0a7921f18e8","/app/assets/worker-BK_5lKsD.js":"56d8b38b0a2dacfd068fa328a51f2a0ddbf4c32380b58ebe07270431228ab491","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"0a527933b4a9ff6c90cf1e1efda6016f99579a0f616a9c33c65622a6761e904a","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
