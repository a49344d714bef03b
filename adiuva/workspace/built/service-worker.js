// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "34bf08947c52adbe";
const FILES = {"/app/assets/Cards-BzNvV80c.js":"71a6f860068023bf96f0b0604e6aea967477223afcd29899d7ac95d9a5af61e4","/app/assets/CheckpointDialog-ClC0N9ep.js":"ef747dd650c685745cf65b777e474fc23f523027aa7014f32d42a8c193de22b1","/app/assets/ChoiceList-DxmRVvto.js":"ea411fd91cbc254809359234fccd6e979c9390bf46566f4e3b49057c2d893c9f","/app/assets/CommandPalette-CwNUBtMY.js":"b4e9f709ecfaf2768b21eaf3649457ecf946f35f3d18517ddb36f08586a0b858","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-H1lpt5o0.js":"a87a3c0f12c5e5b7c7d77e11fd5bb7ccd9907565b04207f42e4c3bb35a57ae0a","/app/assets/DialogActions-CbfItsG6.js":"6c2fd65dd942a02ad738fb36019888d51da49256fb65949b138d7aea14c6da10","/app/assets/Drawing-BCXz7c1Z.js":"bc9af7d8942d1ccb0b09602c098aae7caf3a5719422a977458f602783a0981ee","/app/assets/EmptyState-CaFupnq7.js":"542663c9c5b88d5201c4f5f5221f30315022c594be02d59a0241d1e97fab4691","/app/assets/GanttStrip-BsKlG8Kq.js":"eef572ef1a026fb182927d5e23504ffb236e3c549cca5696c2831332dbd40bce","/app/assets/HeadingInput-DTC2yv9t.js":"13ad057c9d152373a3aa640cdc180846d0f3611ed384993dae31472fb82a1de4","/app/assets/Highlighted-C7lUIUyf.js":"d703fbd424f2bffb5e3fa074719d298407f932547974158a0d5de86d2341d03d","/app/assets/HistoryPage-BspYIqx7.js":"e4aabb39f2dd2b8a5b62518d073c2830f2d63b497dbaee4a1aa0392490cfeb1f","/app/assets/KeyHelp-Bq-MIxp2.js":"a4dee6b2ad852ea13f258820b8b6a87e38c42e0643bfe106b631010c73f506fa","/app/assets/LongList-pXX9Fy2J.js":"9909554c0d176ec33b2fd1445ccc9672dcdd1b7b59317ea6bea2624294895ccb","/app/assets/MarkdownEditor-KJlzqGNw.js":"2220af3c068dab841fb542c8afe7114ff0154a1e81d0bed2cbd7bbb7f6a360f7","/app/assets/MomentFields-CVrUzYXk.js":"a6d854327194bcb26ae30f7142d700a0ba7f266faf835fa1209c252908f6e2d7","/app/assets/NoteCards-BtixElzi.js":"21973f54fd90534d0a1140ae5091122b940b0c9e3a4243175b8df4acb53cbe14","/app/assets/NotePage-q2Pmlybe.js":"96abf94a0f760229f5b1229c56987545108dec6efae35ebfb2dca28e85cc27c9","/app/assets/NotesPage-CvWBAeCj.js":"0e0ae5ab0c4d7aa47d6c98e48d4e9aa3c7a7c1ac040c7213e6666c8edb37ebaf","/app/assets/ProjectPage-DxzbcA7v.js":"27f3a48f8c917239b325b933d2380f4d1d29f0dd9ad65b9f4f660b0ea2db72b8","/app/assets/ProjectSelect-CLkTAxXj.js":"97fe3d27e0a5141bff63c2bab0ebc974e13d78490b1d3e504231789f2cf81768","/app/assets/ProjectsPage-BoCfFHRO.js":"d7d8691c7fe57a9f21050f3697cb4290470943523951b8a4e52a145790db4b73","/app/assets/Rendered-Jv9BXmle.js":"40f4e5ac1c61bf22d18332e762c1b67ef6ecb178dd9acf9a16023cf6f7410c52","/app/assets/SettingsPage-8D3YmHQE.js":"492bd344582275abcadeed0c5d6069880727aa87fb449dd4e3c249e6d289a278","/app/assets/TaskBoard-D4ECmLPj.js":"ff7c532ca61fdd208f5e84679c6a11d48ea830470e03fb69a2aeffaedeb0bbea","/app/assets/TasksPage-BuGNiHyc.js":"597ba63bf26c8f1fc28621e71516a6d1157402e19909c3e4d8d470054721b91b","/app/assets/TimelineBlock-BqN3_-t_.js":"11091b24b78b760e89083427f398f65448ad00469b488f1fe77ab4a83fca7b74","/app/assets/TimelinePage-DU_prdu7.js":"d3d48488f9545bfff0415ea4c96e6dff607f02f57a4c6c9b69a50ec76f85e9ec","/app/assets/automatic-C7cWUobg.js":"5b1934fe50d5ed77f6436d06fcb92958e3fed4304ce4e7515392b64b8b4c5a6c","/app/assets/automatic-DScUT2LC.js":"0c2b838d27888ddf58c707f1bcf0b3b6878fefb06cdeb81ca99c943d6876c9cd","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-BP-d8WWa.js":"3c3e73c8985ebc2b9e891e9b0208755dc0e7505b4bba98e9a10e596a2ca8124b","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-BburEsSF.js":"74460b3119a2e8427f1f2f3838df9ed66ead62d1b6e33a656519febf6eb9a3ae","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B1pm2ETf.js":"8d8333cb3f41f3c9db18d67fef1c36bd9ef2100e4b99b777066abf81ece696ed","/app/assets/first-B6QCRdER.css":"2bb75eb0e368200ffa0dd02186e05a589f14d88065279fec617989530fa611ad","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-DUWH3Qud.js":"a494287deb53bea53e6d4b10a87ae8296da46ac711e9ebc2676940fdd0e9dc5b","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-B4AQcYik.js":"0429c38f9ef692a03ecce2e24fb5d25aec6952357f2b6386665f58868403c448","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-DNc92tPq.js":"ae2a0afa4d7a72e8d24237698b8ef74771859ba350de41adf2049ddfb0440b9e","/app/assets/useRest-COO_pai2.js":"e83a32a3831ec2adf03fbb2ca847caa0d801cbaf7b6feefabd49420808172801","/app/assets/useTaskActions-CN9j_NGf.js":"d8e5222d308e36a9794aaa3f7c5bebe6574cc3f9507ca0ecf18534cc7382b3ab","/app/assets/useWidth-DsejF9Ep.js":"5d7c413fe34e67be2b5f0b652158600819f8a2a5f4d6d721e115f44002fd62bd","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"6716cf20c3d1cf141fa1bc4cd928a38e4a0f1c05cb554e2201ca04920f4772fd","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
