// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "1e5a0d859bd64c8c";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-BB-WUY3A.js":"6eaad693b24c5926f41007ed9e2361b52ba73259f4a0bb700a89b9b997fef1b2","/app/assets/CheckpointDialog-CGvoeYMx.js":"930b4399bca0f63ab4e8f10c63a6d4faf74185f755f729b37c9cda5a9fb4de2f","/app/assets/ChoiceList-BKYGJqW-.js":"8bad505b8dafa277c09ba8af49101dbd3b52ac90af2fd036fc4064266ad1f166","/app/assets/CommandPalette-lRqvoSgL.js":"9c7b060544e54cd092ad6911d1120ab35f65a35814df00a825a2d79370f01551","/app/assets/DatePicker-BFEOrNov.js":"059f2ad1785cb4f55b46c736dfb6f010316c0c3118d5a5206cd5bcea0753d3ac","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-DiGf7MdL.js":"d266fc9e2f0a2473b1b40fdeb71176791ba41af983fa5c353b957b2be60de651","/app/assets/Drawing-B3zuhH4O.js":"0213ed2cc2a3369098cf3e7d579ce0c8962d78d681991a02b88a4701a3cc1ef7","/app/assets/EmptyState-Bj1U80u1.js":"f8a434758a0b4b7aa82425378ed9743f5a7ee0b2a559e89c5bf38320fe211137","/app/assets/GanttStrip-DYi0Y6vB.js":"7f10a8b62529b95fb5986ca21b24c178ebbd2b3c47ffcf6477fa3ca824e23750","/app/assets/HeadingInput-DKiRJ3nS.js":"4a4ead0ef311dbfe52fd12734265f3ea81905939c5ce00942f44afebe292380a","/app/assets/Highlighted-CoEJaVd2.js":"5e8392e288e0297cc7e38aca1fc10d356ad6d91ee3d56f073dc31fa703d67dff","/app/assets/HistoryPage-dsibma9i.js":"0685a85359bf9c107c797aead79b4dafbdabd53e258cd251b5aa5cd5150b5a1d","/app/assets/KeyHelp-T8V5gu_S.js":"aa202ab1efc83374836faa5639527a27601326c4d2114fad17d87ce5ad31a8fb","/app/assets/LongList-BQ3Q8JxN.js":"345d21bef3bd48e93f65fb9bf8ace0ac5d56dbb36a9602df8c8e139a1068ee90","/app/assets/MarkdownEditor-BwlAx659.js":"81dfd82db5ba0032d1e16761d4f896017794f618b05493309f43bff22081c6e0","/app/assets/MomentFields-BmV2NZnd.js":"1ce027a7699495b74d395b5b702af4bd9388641261f4de46900e538e61aa262d","/app/assets/NoteCards-rd0bRO2o.js":"4eb898e8fe7dbdefd6360dcf933b9c7c3242c83a12619ca50f99b22f3e603982","/app/assets/NotePage-j2xnbsJl.js":"7d6daf8f660c02f2e54e865af0d2733e665846d7e0d8e2984421c77dd7f7837e","/app/assets/NotesPage-DOQtZzMm.js":"58f7339bcd308aec429ae1193edbdff84e1bf8f21fadb318f99ece5bf30e8f62","/app/assets/ProjectPage-DE4W8GKb.js":"4a298f0acab90d54865539ede8c411d1029b9e556bc2e09a2103bea408731938","/app/assets/ProjectSelect-CQfYvzag.js":"5f40e8481ed5292273fef5a4fd2d4a109e72dea447d3025449b111070229cbb0","/app/assets/ProjectsPage-DFStEYoR.js":"7c43b47a9eb600f51eaada2e4490c5dadbcb3e0ce07ddfbc818e20e067d515fb","/app/assets/Rendered-DltKP1r4.js":"2699d8cd2701796e166277a80e791948b30036e3a47cc0ef096cce0a71070955","/app/assets/SettingsPage-CBD1wDcT.js":"835c0f8c5147aef9491f1d53d797839d78ff1dd5ff52b49c8972aec8614af716","/app/assets/TaskBoard-UJll0hZi.js":"bb30b6894d2db601999a417b97b304bcdde9e2667399c1f604a0295f3df4e198","/app/assets/TasksPage-C93udsCV.js":"b8b3677c45039e2e7c40b9bfa653e2d99bef4316bdc5a812dcca54b2b0fd5e57","/app/assets/TimelineBlock-1PMT3LYg.js":"6e9a4221258be9f5c326cfe697349e0e5cc45c7261df495f87eaf5e9a6f47871","/app/assets/TimelinePage-BtQQS-mb.js":"da70d023d69d2d7b5232a456783591dc36c9b0cc3d1ef667173d9b9fa0f51861","/app/assets/automatic-De9RZgId.js":"c8cb13f0d9d2ecd09bcf55336c54e1b3404bf3fbb25d49628c053620454fc892","/app/assets/automatic-paAYSUJH.js":"ff59941163b0ee390f14aeac00e92c31c6a2d54826b732cb657d9d698419a386","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DJRRojSz.js":"f929691ae7aa077352aa4de627b896adca6bc08abd9c452f3708e997075da2a0","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-Cdo9o9_P.js":"416724c2001bf4d71c534b17fd6cbe11c82ebe8c4ce9bf30142ab7ca60b8d4bc","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/first-E1MGJIms.js":"a34ca00fce0c3318d105ee7a794e3b7344d7594d8c3abf0c2bf537fe7741a7c2","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-BZM5VE03.js":"93a4061adb159dbadca83bab43d971fae9d961c896d92d1b60a71711ad179e5e","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-B1f7d30v.js":"98a0607f65fe6495743bfc268d937caf53a49dfc496b705741a18116f2331b50","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BI0CHd3i.js":"7a3f8e53b1665057c790ee5fae866ea1f881592f81eb47a0e1e8fb2ecef06915","/app/assets/useRest-DVTg78CQ.js":"8fc5ac5cc394b651b6e14c7f91cbb38db4f1b3f5cfc0197b8dd5c1e86de613ee","/app/assets/useTaskActions-DcWqPZYz.js":"b6ed226843d5d737c1beabb7d41d5706eba77f0e9e8b36d5909c10e132e0fe72","/app/assets/useWidth-9c7z-iq7.js":"7db6913e50eb2c6b6e534a6c4b14cb4f78e760ff0eece1f3c14120d23f37dff4","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"77b7fff34c79198fd8d5422e8ce316869d0032479215fbc4dca24eda866d9893","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
