// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "7723d4fd999471a5";
const FILES = {"/app/assets/Cards-CmuEY5N0.js":"5c0532e760bff4bcfa19c44749d6292e29092ab4b5bf0f0dcc504f9bffde5b6e","/app/assets/CheckpointDialog-DR0Qtexn.js":"e0265c17883fdf21bf2d02b76014fe58c57595cb7e810aa03469fe87fb5fab52","/app/assets/ChoiceList-B3HLGr5M.js":"e1695f5f52020ff09dc3918d6f83160e04242edfcc3014bf5fe3bd67ab94b352","/app/assets/CommandPalette-DZB2Fj7n.js":"f62a0c5a917f0041b6c04330b99f3153a3f8b02d15de6f282f353163dc2d6c11","/app/assets/DatePicker-BACMRuWh.js":"bd3c49b8f353b1b05f92f204d6f122685062992432f7fe25985f858a244a5a99","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-Cc3mbr-u.js":"530bb41ef7951074f54077158fdb61f94a38a64ff7fb6115483a29452903b309","/app/assets/Drawing-NiId4dj9.js":"f57ce660bbbcc5f515b9fe59ce211713d6fc5892e8b2b2c0148962ce43125c38","/app/assets/EmptyState-BXhgcgMs.js":"f1e06c095f7dae49cfadab51b51b0cf82fb4ec1250ae2ef953433ab610a6ba0a","/app/assets/GanttStrip-B_gK6aFA.js":"1cc576a1e01c843cada1fa5baac7d69ca1e11e8963626f0dd664f998533b7f49","/app/assets/HeadingInput-BaM38AKb.js":"672783bd396a02fd3b0ce3c304bb8094914106eec504f6a04f710a3250e5218a","/app/assets/Highlighted-D5NniYoS.js":"457adc169eb276aee399340d0d538c86c6881ddeac79a626adc4d77e1c3666ad","/app/assets/HistoryPage-BaTKLkFk.js":"422f7d1cb206e8abc0b98ec3e9217d5716ec1fd4db868ea6efe8033a3134fc77","/app/assets/KeyHelp-CPrTNv5e.js":"5427407c495520a0fa9ecf3fd54a7703c1166c1c06a6f4d58075f845c9b150da","/app/assets/LongList-BGIvuwZi.js":"a743b2ba575be0fe6eb1b498c5bd713aa26472f150bf3e2cf7571b6f00e01019","/app/assets/MarkdownEditor-CsnUFyiS.js":"56861254e4e2b2ab95ed3ff41096c11687343892acbbf3c71b86f6af50a0d4d9","/app/assets/MomentFields-CmDB68Or.js":"ca31b6641cfdb988fad068c19c5ef57fcaefe5b4dc2dc1dc45572132b0e0397b","/app/assets/NoteCards-CuAt1ANY.js":"bcf703fac206a8d66348ef7b47ae0fd0ee192051ec925011034f817a5d855d27","/app/assets/NotePage-CYRfWveU.js":"45af0bb3f26e3c81e9275c7ecb8bd82949613f49798d6a14ddf031374fd6246c","/app/assets/NotesPage-DCcNiYFy.js":"a78452002c83f989efafdf32427b790a4b0be2deb15444c2fdd40778c39c0e2b","/app/assets/ProjectPage-CUhKBrjV.js":"7e9d02aeea4c449531b555958b2c24f8b0c228cb681fb73e3bc21b8d08edb88b","/app/assets/ProjectSelect-CI83ebRe.js":"0694ef7479b7cdd7a00383cf44f38d621681f113048d9613a224f3ba2dfe55e9","/app/assets/ProjectsPage-BuP8AMIY.js":"6119e0dae685284c797d59a919f909b62c02e5c38154e93f79a389a74cc5a816","/app/assets/Rendered-DpForKuH.js":"904d70b10eccb6d3b40b9d4beb47a971948667a31985b02288f8eb598f15c1aa","/app/assets/SettingsPage-Dai7m7Rd.js":"2bf741777f3674ef23a269500d0fd930a8079acc2d996303202e97b6df539522","/app/assets/TaskBoard-D_7Tdodi.js":"56b5956f9ae48ab3c029adcc46703038912788956e6006e48d64d2eab09d27c3","/app/assets/TasksPage-DYgN9XBr.js":"4feac6013b31ebe7d0d07b342eb2539370eb75ab4a3434053d5aaedc9074a965","/app/assets/TimelineBlock-BxRcTHQ4.js":"0539bc5c27a2fe7d5c91e33d47cf47e4747eeaa8dc29d704a55e156f28f8ee0b","/app/assets/TimelinePage-F9oyLJ1d.js":"032b7675dcea76bb8a01fb40a34853aee5a8c4c3b846449450023a107c649484","/app/assets/automatic-DvlXU91f.js":"e39580006fc79d2fe4916aec9dc2a107532bd1fbb7ef5722228e2421c72b15cc","/app/assets/automatic-nEpIz5zC.js":"aa92c434316839d94f4a9980b4668fe83dcbe8d9197ef57ac06605902fef3e97","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-LSvWPjuC.js":"0ada892ca8bc6a5bfb0aab200d9cecd28c3cddfde90c267e91853a3e452fd48d","/app/assets/copies-Xla42IXN.js":"e5b92990ea49389846446b6bcfd4794c819caa4576e402945bd8ee01e789717d","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-PE25l1rs.js":"e1af06e49300ab28e9cf2fcd71a709a267bc7654f1dd30b42c28125b5f40b708","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-CiPDilkA.js":"85af28d0d70fa1370720939b9181cd3d756fb4f122410bc8991a864b78a96885","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-Dtfc9wlv.js":"5a394480025291c45d947d0762bb95404d4b216f4b573f08e48d553617f1403f","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-ChhMlC6c.js":"ba86dff0a6450060a967ec083f963fc415e27c3221af5e260e964fd613d53d65","/app/assets/projects-BscS-WvO.js":"beac5a553be9feb06f6a2de03352a20fcf4f32ace7a0a03f4cb78689330e3393","/app/assets/read-BIqWI1nh.js":"c7a59cfb0bd9ad2618d6d3488fc598c1e12b07fc2442ff0bf0eebf62e9afbbb5","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Cm-yADM2.js":"91cec4414cb4dce6c26a138ac426ce2a55b2f4192509384d0e692021d5c5cb57","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CJOLI5ek.js":"ae684c871afeefd99ca82207c9817871bc33e598c2f75bf09165f84c7c1a2043","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CGoRvSms.js":"cd3348c79a09559717233195711928442c5dd8eec7e8f1ebb4b0f47e75b1a832","/app/assets/useRest-f_bD5DZw.js":"c32e670e9bbffd52e7c80b11c5cc2047146c5929f0b18e2e84ee5f18b3d637ef","/app/assets/useTaskActions-By0AxmqG.js":"e338872b2dfd430af24e38335d62ccac20fbb47351ab225d3394a75b3735b803","/app/assets/useWidth-DwM9TRaQ.js":"9b2a96965da7958a8e038cbf06c7a3b7214ee979d835963e5727d4abaf10f4cc","/app/assets/worker-BiqJ9jNG.js":"25ee860c6b18a9f1f419854ec2844227244d62f1569a7ee861028f30765956f4","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"03007fce5cb6737ea0f19942643fc2d6b5eb3c583f68eefdec980679fa3bfbe5","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
