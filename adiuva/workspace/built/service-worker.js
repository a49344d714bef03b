// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "edd4e449c10cbaaf";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-BIWJH05y.js":"04d51dd9d3720861c8ee49d4f4c2d85a9d0531e8b72560e9f1be0179e8c1c8d8","/app/assets/CheckpointDialog-CXVS7CmS.js":"e810b8382d899b80fa09fe90280c5b9c867dc175a51d3faf0075838161715268","/app/assets/ChoiceList-FqSKlh1w.js":"022572d62363e0de153adf5a0cc3f9fddf5d8df2e25d30e12a8266846c68c752","/app/assets/CommandPalette-BozazAIR.js":"be348ea2762cb87da626922026e21a82a6a1d65ba901679c8143192956389e9f","/app/assets/DatePicker-BYBYoKll.js":"a319cd01d53d0fbb07465bfabb173b08d2970e74e623b3a07fcf0a22bcc701eb","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-B7xb6jY8.js":"91e69ecf9fafc1a68c6364e494af7862a090fda1e6b785c55f4cd5dd0712ce82","/app/assets/Drawing-R8QVHjr_.js":"e48f81684071661f06f1bbe4fedbf87c69c8ec0eff0093fb9c51e4473c40bf0d","/app/assets/EmptyState-Cam0gGhh.js":"a01e9a34ed01dad2c2f357cdc8e5b9e066eb90c8e6bd8594c19aabc13bd50eb8","/app/assets/GanttStrip-DCsokg8S.js":"0087a0ce45daf9e414a0a9e7cb8c60583d72860c8232dfd66c0caca7650f4057","/app/assets/HeadingInput-lc9dLWUe.js":"c861267dfbc55b6ea46e92cb75cc21aca0db2c0d1abf67dd6593ea43a2d83f4c","/app/assets/Highlighted-sO9FCAXj.js":"1e4fb538676c1aa4c520cfb447405fcd98ef4879a74c4d362147265c5b2bb0eb","/app/assets/HistoryPage-CMCH1Biv.js":"bf5f950f48a1e74cc7592a5210e2af7a44e42d1b2faf80fcf2ed52f91b40b86a","/app/assets/KeyHelp-D00_ExAj.js":"8282c1e94b90e3615ff45c89ad49b1efb85d6bf81609716c5df0a7fd3c7ed0e9","/app/assets/LongList-DPjGq4C5.js":"ecf295827a5a82fa59a42572217402c1a08fc03d1175b2e557d3c207cc8939b0","/app/assets/MarkdownEditor-B8h1iLIg.js":"dbcc59df03e84d395d3cbedd77f21cccd06334019ab9fbd718daf06f36fc6662","/app/assets/MomentFields-B056ttPl.js":"675129533681cb7e5a811bada3207b27ed32c10ca9fb178db716491338e53ecb","/app/assets/NoteCards-Br5C9Me6.js":"917fdaadabe5e1aa61a11add6c92027538c02f06f609d0108163f1288a97bfc0","/app/assets/NotePage-BSKDv-zi.js":"cd6f39e06fcd13dec16a5b896682503a4c572ed23eebd753c6fa88f2164feff6","/app/assets/NotesPage-DKb114LH.js":"7e0029b734f2c30ed10b481d45ae321f303934172a2c7322620c18962dda0e25","/app/assets/ProjectPage-CZCa08MS.js":"206bdb5322751db2ad3a1f0f12babd55c8080ea90d66f8c2810b1aab90ca72eb","/app/assets/ProjectSelect-DQ8teiO_.js":"3203637ffbe17b15e9c0834439a6cb364af557cb0e0b5e87b81570f8bcc96fc6","/app/assets/ProjectsPage-BsCXDy0W.js":"deba881272cb644c8a919bee3d24dff82715a54b1ee7cf8a5bd69410142baa4b","/app/assets/Rendered-B8u-Tcy4.js":"78e86ca3ef2fdf0099bf69cae855356f336dcd4e7c4c2921719dd41cd7704624","/app/assets/SettingsPage-CB5QOE0N.js":"7950c1d882b989979928af7831b4f36950db3f768c660d45b00fd44b71c272e1","/app/assets/TaskBoard-BWM2spSI.js":"f01c521425ca68044fc52807b1f6a254c2aa67903a4fe16ccc8f5177cb0c6c04","/app/assets/TasksPage-BNX2gwqm.js":"696c243098183320f6375cb768a1127d25d3053fc53fe635332f5e16586acc00","/app/assets/TimelineBlock-Dx4w9GHR.js":"dc9808ba09e2a1bf53ebf1ce84f467a22dfaeb66a15ec65cc2274039057d4d86","/app/assets/TimelinePage-DZA2JXJG.js":"ca9f449558fd90a81871eb3d133799464ea4cfa846e21bd957d97dd33da96e0e","/app/assets/automatic-Bu0_CiI8.js":"3cdaba76f30c7613d000d1a0aeb850d9352cb598544df513ad72b5963ea8b441","/app/assets/automatic-N29LXJZV.js":"91d9798a061c49a1c4e5671005c3ab080d995dd24ed27675a9ec946c6299bdfb","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-BQUMAE3A.js":"091acad0dc773aca2b747cd0d155758dccfd21678cbb9dbe95597a8048ac09de","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-CW6EO4o4.js":"816b6c5a6bae48d8e364bc42b8d024c5d4e37486a9275d4fa65117ed4f6a6d72","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/first-Bj2_09X5.js":"07fd538d990c99e227c770791c030c1268477ea5ce0605b4ec7d5df1b2814286","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-CILCa032.js":"033cf7be2eba645cc7ad1b4c0831bc4383da460a06763dbb56cbf35022f7ec78","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BMdjzs5e.js":"68db48b5d7285a534ca3454567177d539515cffbeef3be30d5def63ed49aac78","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-kXZDgtLZ.js":"8d1b94e4e266ae1f664b821082658b296d180503947bded1e480cf8d51572acc","/app/assets/useRest-BEvsAtPx.js":"2bc20a491ef9b51169a452d519878b1db571367237b876dd8f5be4725bdd0369","/app/assets/useTaskActions-DAaL7K_C.js":"2ce475c4fa85e3435e3f1793148d2044eb48a81a6342863367144ba5c9ce5709","/app/assets/useWidth-BN-obPkk.js":"115be2d627ea83233a476b9809bd9f18b8b0d38a2fd68a98e042655844455688","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"dc033ce76c7b50edf07fd804b3d48d18d2d90517c1059d7ba44ccf7e4c15a4d0","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
