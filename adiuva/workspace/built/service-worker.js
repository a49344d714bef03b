// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "fb27a3a2eca0f059";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-B1Tup1vi.js":"a96f87dc1b5ccb1612d5b0bdab148e6f221cc789c032fd81508e5b6ebbce1671","/app/assets/CheckpointDialog-DmpCuGws.js":"f094f6e442e371ba947f0e6abe9717680472af58b2ddace5ef5afa30343dc7a8","/app/assets/ChoiceList-BbkUL41r.js":"d35e1157e9377bf42cb74c5415c5104efe7c79594ddfe7559e9b1fe4a7d92c19","/app/assets/CommandPalette-Cc2dFfq2.js":"a881a5da107c3fb1ff9b813b3c20d633d44fdb12e9ed7d7c6ef1feafbb52c419","/app/assets/DatePicker-BY4C17C6.js":"fee164a8a391fe39ca19db0d181efa356601d1468b9d5197fd4fdbb36b47d7a5","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-BRjtViNz.js":"f0ce5c811e6c37bb966515c819cc31e736710c0d7b650256f6163f7d72a18c45","/app/assets/Drawing-CbkMxsea.js":"dc6bfa9b67436ef5b2dc0f01b824e6905de92284bbbc5b005046d290181916c6","/app/assets/EmptyState-BGl0uOK1.js":"6ede22e3a8a4805e3765250e56999e908c516e31fb4cba3daf50445f3e22ea32","/app/assets/GanttStrip-Bseovsou.js":"23bbef8daaca0255799201b485374f585ab9109b5d5ba9ccf20ad50ea8c25efb","/app/assets/HeadingInput-vSY0ROJj.js":"d7ff86bd82d2521d59eacdf2f3dda1633eda335d4d5bae3ecfe25dcb30d1ff58","/app/assets/Highlighted-DgdJygdK.js":"99c91ecaee18ffe1e54d99165d8a5cc92bdc4520c80a5cda0cc1ff4894414be3","/app/assets/HistoryPage-Br2TkZpK.js":"4dcec26c520ab10fe42ff85ef11008839a9ab064bd440b17845d675282c78fce","/app/assets/KeyHelp-BaQHK5Yq.js":"5c11576ede916278f87640b2b4e844f854768a6fe703c2b63a741d09a079c642","/app/assets/LongList-CXVQb3cF.js":"407a9cd9fb38636e42785d4ef9cdaadd6814c669e8d49b0c3100ad1180ecb4df","/app/assets/MarkdownEditor-smzTuhhA.js":"dedea698c9c65bc1b7508de0821c49cee58323e19e147ae3bf964a8eb06abb5e","/app/assets/MomentFields-BuIvmTyA.js":"c30e4d7dcda4b473e653c8b984e4f49e88723402b44c56c1d0b2e52922c2f1a3","/app/assets/NoteCards-CEJdKHJe.js":"46d50cd9d175cf879867b3cbdbbdec7c28868c38be3946395a2099cc26e83b81","/app/assets/NotePage-BOdL7hQ2.js":"f59b7dd28f66a873ebaf94fdc82abb7223c7bd434cbddf774e320c1933083837","/app/assets/NotesPage-BGHHkP-c.js":"5a17b65408daba340b261a34fc43daf73655f1b00567ea45b220f810cabf8638","/app/assets/ProjectPage-BGXzGTqC.js":"3615cfdeb45772ece8936a4a968609a42738ebc5443082f5e19b70387a5dd60e","/app/assets/ProjectSelect-DuRt2ItI.js":"1e2bb77a5d5283e97f49138dd8f8ecdd80958c9318d3c9a5b95c612fcbe4f892","/app/assets/ProjectsPage-bwTAuVe6.js":"48eeb8538d4f032b84aa0b95fd7ed8cc3bc9c4a0ffe2dd2364e58cd33226f5db","/app/assets/Rendered-DAKbjXMX.js":"fbfe09334b3146ad724b9054d36baac396d557183066bebfecdfc6dc6fc5ecf5","/app/assets/SettingsPage-C_8yxS-L.js":"af95ade8c316e22c612b0ee0902607f3c246f8e4c2dbe59981c3e484b2305ce1","/app/assets/TaskBoard-Cmf3OAhx.js":"3036d108ff3f3b019df6b053ff1849e99a82ded2eeb05357aa6a6d599e9e2b81","/app/assets/TasksPage-C0kIBlgS.js":"05bfecd8f5623b51ad47ba1f24781c83270d1cb141304a3bdabd5750095ac38d","/app/assets/TimelineBlock-DmWrJSwJ.js":"58b7dc7df9e60116602aaf9a3cb03c903d0fde95051d826e2a69b84616a8cb6c","/app/assets/TimelinePage-CWbxsBiJ.js":"26a8b09d97a9e5dbd80edf792e2ea6ad7eea0de8c8096b4a82e64a0b14b6e140","/app/assets/automatic-BTCgEKW0.js":"08ff849fe2a0b8fd668fd8c8552b7a7e536f22af423f85f0976cf6cb2a5a8c2a","/app/assets/automatic-BYRnw91x.js":"e984840dd586eff47197d803f9671417a58d1d5f9668dd8f37ba219acf159c59","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DklxHmAD.js":"cd3c0651c9519b2d25ae6c1f122282337f81dc7d1ccdc34e02641c313b6b8c97","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-BUL275RH.js":"64b634fbfca23238057cf93f21d515228aa33179dfb7adb111bfd821657461ae","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B3LtsMUA.js":"9d54db5cdd8eab0ed9233ba1f5911bb9d93699a7e2381e5e8038ea3026dd9029","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-C_R6xBk0.js":"a62fce5f01d307f96950a8ac5f7cd280da2c7b28c659fe4f4e664167b84076a8","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DcmtaSj3.js":"009c05c3e873221db2831f5211ab7792ab26bbecc9fdaad6f4a45bf411fb29e3","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-C8dTVo6j.js":"5a171180421b3b7a49ce658f8e7ee371f962022b55ec40260d722ad0f79c69cb","/app/assets/useRest-BTxoDnsY.js":"e198e8f87e2f44e48551b11089af472ef887c2cff6bedb9ae5ed8901851e1aa9","/app/assets/useTaskActions-D4tEVGlL.js":"9163f0a0b10cdb8ee0362ef07707e0a738f8b1ed25d9eb5d2f3f705850233cc6","/app/assets/useWidth-DH-UmkuK.js":"ee27c36d765aa707a0a86e81c9718a6f5bded8cb634285d479bf77a44edce419","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"0323fe8c61e8432e99097a42e80f08554fa9cace6211b1391008f6e0fbfcffd5","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
