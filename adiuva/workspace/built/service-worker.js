// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "b3f08609e545004d";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-C-aBVR0i.js":"fa7e1d08cf883bf7852d907c6e8c4957333606b8d408f3b22de2151e8c99aeb8","/app/assets/ChoiceList-CIm7HgtX.js":"f41665b7e687c513c71e69b26b401fd6a0399724fda04b6641d24edbd6ff5eca","/app/assets/CommandPalette-BA7G38Fv.js":"eb7c0282ced275bcb5bece594edbbfe0add9e0e24fa0269705c3842f93d0a879","/app/assets/ConfirmButton-CuGnftcj.js":"655e62d578f1a2d6ae9939fec61ec512ee335804e8cb7439b897c296437fa5c7","/app/assets/CopyButton-CrOHq2PO.js":"5aeba6c992ef8bca515808d04358515ba7067cd03e8a0f0819382c0e5dc32261","/app/assets/DatePicker-BQ_fUBVf.js":"ccfbe9dad62f294ffb1117e9760b594a05ccc1aa6c515c78cdc49648fccac27d","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/Dialog-Brjp3ZOB.js":"c72d4c73bf89b260e8ae13c52421e3d4f9d10d390971c552508d6c7ea64f85d0","/app/assets/DialogActions-BEo_q-Gp.js":"b96a596ad6a6d5d7d93e4ade62ec499f86a0e84e94cac72a39d7eff64ed92954","/app/assets/Drawing-Bw0idzmY.js":"d5a458afff5e9d3387167db5ba653de6d56c476a39e414ef88bb5c303c3d7446","/app/assets/Elsewhere-BtZnFRDr.js":"89622e16c1e4fb538fb484377725d2b41f17765e20cfadcb5c5ce30f0efa988c","/app/assets/EmptyState-tQ0AFcXo.js":"d8bb41d537a4b41237f46f06afc5bc583681c14d61c4630e5b3f46459d5dae24","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-eiSnYPRb.js":"722b8d52af60ab9ffa5185e339352c85ef63875ca458686fa26294da303b81ac","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-gWHQBf7C.js":"1926eaf0c68e841e0e7f8512cebf4273610c87e96a13a30274a55a35e781a53e","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-2ZDg9_vH.js":"243af6abc7c697179d9f63a507c59e768e0d36438a3f5df903d3ec4015e787db","/app/assets/MomentFields-BY3Zcuea.js":"a53d20b96747d23da5241eb6fff55a127f3694c2ce49a640ed4fc65a41eb6813","/app/assets/NoteCards-DszCuGiL.js":"a407554116576f0d73a61bc9ceaad7dc769bf87aefdd540e7a1f52c060f3555f","/app/assets/NotePage-DRR2t9sJ.js":"a1803f91e36485517fe9651a3e74934e03a39ffd6507579359bbbd85e43ec22d","/app/assets/NotesPage-Dex8VSWF.js":"ec537ed466cb43b05cd42e5a3240d672e66b0add83669aa88a8afee5b04d1306","/app/assets/PageFrame-DRh9SrWV.js":"1b6c24582dfd353c3e2c716940a4840f8d243136a03c422bf5d14bb7a694e70e","/app/assets/Problem-CVckqZLb.js":"733504f1cab6a2ed249783a0da423486f0f6f93073992f3029f91fc72ed5baea","/app/assets/ProjectPage-DoLBLQvn.js":"bfda91c880b2c7c5f81fa1adef0b92b7d91266d7170774f9863bd4a535a7b829","/app/assets/ProjectSelect-BKZmUc28.js":"d0a673bac0ba47c6a86269162f4c3f5cb9a5b9feb93bd13ffb09538672887de2","/app/assets/ProjectsPage-DWDNu3xS.js":"41cd6ce49c75d54636d930b7ef02f98af471c4d050a1d485a54469f088321380","/app/assets/Rendered-BAhGc8lZ.js":"6cde529a8a027414e52f10aa9121ff5dafb584cd37798f85cc8e70011d60d00d","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-hSoKkhLM.js":"c94d50e0d61cfda4d458824afad596f38092c12bf340cfb343a135bf3368f6ec","/app/assets/TaskBoard-DtURaapA.js":"6615333a4cba5f972141342aa1ba2e537e816e2afdbbc36ca5c246acbb84fbcf","/app/assets/TasksPage-CUtIlHGa.js":"75bb43fe9e974bd64d1afdee6e7fe22cc61b5acf5e4cf52cf6fa0b8822f191d1","/app/assets/TimelinePage-D6htAn8N.js":"ff8d72ffd23c4ef79fc936ea5278a24ca8b3f4e5690fe59d7c44e26c88b5f06d","/app/assets/Unfetched-CldhaR1p.js":"502cb146d0fb72f526cb6733a9a099396c974a89041cc858a35f92c36a0753bc","/app/assets/addresses-DIca7_f7.js":"12a22c0e4f8e8a6d4d12152abe52e87d0abe6810395bdd44d3ad5bddaf7de52f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-BFMBuGMT.js":"c150d5dd59ae97c184feadf860525254ddcf179dbc614694eb0156551dff1b23","/app/assets/automatic-BrPgUxns.js":"c7874ae89a911314624fac2b2f89706009818b598a4d96a9880b6d718354ba70","/app/assets/chart_data-CafoEjUT.js":"f9a0b0fa68f63f01e81a338274da3bf0ce345e7665a0428929fdfa01482f9339","/app/assets/dates-CfE3T1i9.js":"b08e14cdac0522804cd4231bb9b487be682485f20f2604541dfb803f036488e7","/app/assets/devices-DGheY9lf.js":"caf54ce707dcf66e61fc478c78e09c83e4b37a2c8eaca86a11592359b686ef61","/app/assets/dist-C1JGVjTM.js":"040c9d2e0641301738267e20d1978f5811ef0474c3e0d3389a5ac1664f57cb46","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-Bb6BNVLE.js":"4a543a63732a60bf9889cd7f3367c8b1d34d24def0ed0997fbb403986e3307a5","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-BNpasxuM.js":"e38c54dadb785041968ba44d227731ffd8478301f9e61cac9e4c458bfb2a9348","/app/assets/index-CStbWAU5.css":"9a78797085589c2d894aee1ab6a9faef30d2b20b31fb672642076d810cbc9461","/app/assets/it-B_R8EiQN.js":"3f0594ca03e3a3f9ee526fe77a01e0634e3b30b9a1b44ef9719035ddadb7bff5","/app/assets/it-CeStsvVz.js":"c27847d27fded39e8a5a8eb741c6300145aed7f881cdee6fa3287bcb77895b35","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-Dh_YyBE5.js":"f42e80216bf58e220d83a0cfa3d9152a889f15cf6ce09fc028a13ecc23332561","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/passkeys-KCR2lf6m.js":"75c78e21e651440f7b72a59fde9119fa5f926432f4289b317c81a8f1492a7a03","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Bv3Qb6vp.js":"24b9b09920dd7c42bda5437f638508125ea25b7f3d54cd215c25a445d95f5ddc","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-DAeL5SG2.js":"9f5c55a3ed2af5b24d7f5f713446c76a837b79f00a444a990e24deb11e13abe9","/app/assets/translate-BBL9SYpn.js":"dfedee7e5b99f52d1a739c8d49fcc2d20a3c69b634dfb8bbf6472b4801369023","/app/assets/useRest-DBE4yKCy.js":"07708fe14573ec64e2b3beeea4abc65d18d8b209103df902e7d5879d16c3718a","/app/assets/useTaskActions-CAaQj3Ws.js":"caf70cf9292d64e05437842967f0150c5c22b8fd067e5325cd1da7e6fc4fa1b5","/app/assets/useUndo-CloeESm8.js":"c6042b6dbe2ff810753c2d0d9e5b09af88e5982f175275013a362d3e935866f2","/app/assets/values-Cz22uku4.js":"322e334b80809fd43066f12f13e52641fbb6753e589d9338b48fddc8c9392d48","/app/assets/words-BGocVlYT.js":"164227bca145bda1c552caf58c05cd5d39587ec7d1e6f70f225c7b9340cd4997","/app/assets/worker-1k2-Z-mE.js":"dc9c6734b97a7ef167e06a61469aa75b8c19b7210d5260408136a309f5089cf7","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"23a6b4c9af4aa41fdb3a934e1a8e1254f6591838d438d5bbc8fdf608fe83c336","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
