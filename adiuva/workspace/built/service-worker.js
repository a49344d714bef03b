// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "d6be7d231132ea4c";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-DCYMoGWG.js":"9d2376747a01b7cb7804fbc6a69734c7393d327f9ac342cc5bb33e23420517bd","/app/assets/CheckpointDialog-Cg_Fb_Tt.js":"f9fa7402095997c0307d0a79d9c70e6c92aa88245dfe299a173aaed256aed0bf","/app/assets/ChoiceList-DPzHlCSM.js":"7cfdad4bd8354ceffef62d924033edc06f0e75d67e345e1857f24bb783bee8e4","/app/assets/CommandPalette-KQf9OHnQ.js":"e15f33efee2343203fa4abd4ed799c9658a302dcf6b6b6e3b1299f4996f5d32b","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-Dc0nb3JP.js":"7c16e2e84f75052712717ed9289d03d78cf7914cb5ce0727eaec0cdeca2ed5a6","/app/assets/DialogActions-Cw6ZE9RG.js":"6313a3f3dbdac5378d03f2194c19b9a055a7f80a44d8ae0df81a7907b4bde26b","/app/assets/Drawing-AxF87GMA.js":"8b3d030eabd74c1d3f2d7029de26544f640af40df7ca1616c139424c37fbe087","/app/assets/EmptyState-Cgi-ib-w.js":"1329fd7b5472252ffdb4c35f73f2a56654596b4758e83674e02d0a8fc8510932","/app/assets/GanttStrip-CLpa8ULs.js":"26a033fc386bcbd35fb5f2288e8594edfc17bf139da620a52be7a745fa19a325","/app/assets/HeadingInput-Z0vVGnOS.js":"8570d6c4cf52d1009d4cefbcf7dce89db9daaf77a6cbf453e0a8640b860bea86","/app/assets/Highlighted-P8QiNKfE.js":"cb0fe8ee7181372830bc70641fdd05760288bc8251361bacecaa21778f864b33","/app/assets/HistoryPage-BQcwFvtG.js":"0f610cac72801c74f1165892f2001ed0f49c7c14fbf9ba3f3d09dfc97599c834","/app/assets/KeyHelp-BNDNAp3Y.js":"30080357d65231992db5df073fbab3875cded9fb9ea67c93ea4dbef18023eec5","/app/assets/LongList-BgQYGZVg.js":"24ce17dd9a234e024b04a7e0e7bda7db19c1c33d3f7cdad9b2fa51607b83cd10","/app/assets/MarkdownEditor-BikK-dTY.js":"a03e827de348517c77f5e84436f6fff515f70d87689feb7b48f7ef100e293bf8","/app/assets/MomentFields-CrwcrjZU.js":"6c454f81684ea9bf508ef8c42c1faf5cd7283609de9ac28331dbf068eb3c9a63","/app/assets/NoteCards-Dfnf9sZr.js":"8cb32b9733c1910e76cf68d65a84bd1459e8d8e75bf596ed8070226fbdd1ac3e","/app/assets/NotePage-DDf1RSsH.js":"dbc0fcc6f46bd3158ccd557454ff4ede2b6c857693737aba09113fa02b5bc5d2","/app/assets/NotesPage-CjTfZ_mB.js":"3bf22eb3fc55caf9e70b63e830b8c8c3d3d9b2701e0f7602e63400b4a9c30fe8","/app/assets/ProjectPage-DpNaXmLE.js":"02905084ba46e367539137003f4d7e896fbceeb0cea529e56b21ee94163cb67a","/app/assets/ProjectSelect-Z7ArF_Mt.js":"f98a8654167f3bfc70108b0deaa79f6d7ee73bd1e9576c508053d39f66e88eee","/app/assets/ProjectsPage-CHBt6NnI.js":"deea06cb1b3e43316f5dfb2b0a1b3e5a028649a4833d204047f1dbdad02c42dc","/app/assets/Rendered-DA9lFSZ4.js":"a4f69a3c1969071da103e7ca7865ba3a2e58fc7df833abd847f9f14c241105b7","/app/assets/SettingsPage-UNIyOU9W.js":"7ff7e7f9c91fd99343f1a7d179931864bf243355c3c45ba37197b2331e66808b","/app/assets/TaskBoard-BBemwBFf.js":"b331ef48d6b56e9ac6ecd4b6459b45e37ccdb6e6d59f4813b47a03679dee1899","/app/assets/TasksPage-BROITlYb.js":"5c71232723a8b9e4dd6930863f075a35dd2d0169af71e7b73ad4ae64b0e6fd17","/app/assets/TimelineBlock-DpdtHUVt.js":"82f16e4e865cb80d3b010917ff332cb81e6cceb3c4de53b45081be4a1894a1ee","/app/assets/TimelinePage-Uqrg1KPj.js":"a383161e9359726dd3ece252a19d8c9f218ab831c596bef319eddd06bceebcc3","/app/assets/automatic-BvcHzAfP.js":"f07a828219d3beb6d418beb6bf3143cc33815cf763ebb320ed4a29cd2e822ed0","/app/assets/automatic-DX3CcA7W.js":"5e5c4aa916c3e36f59f9b479fb12df512197ccba0346993a8a21b0a739e8ec32","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-kqr-0dLM.js":"edd0fa39711c131c34ece2128e6e1269da5185acb4a919f951ba4e145c4a78fc","/app/assets/copies-CbM7WBeM.js":"4939ade993a43ac9cde7be17eb97a3d77250a040ed719dde5c7b16fcda4d5a97","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-CeRejhK3.js":"e1593335ee7d5d2fd9d11c7e04b020c15c18b47a89e077b776c8af1e04dddaa1","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-CsBKNB08.js":"770a5f0c8da9d7e7c81490b246ddf53568c15d2b38e228e6b97b57c6cca4063f","/app/assets/first-B-X6ttvT.js":"fdd7be7658077d8ad1de863424c64d4367e93dc9498d5540ccf64db0a37ffedb","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-DEMGH_cn.js":"efdf9ceaff620952b15bfbb4c95bc1aa40a1f9fe19a0ba9d210cb49f7af45899","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-0lVyJ1HI.js":"7a166b5a046c7d87467594e246e940917a7ee0a33fb9d85762def4223ed03c36","/app/assets/projects-iUPjTePa.js":"cc6aabc431f2c5312c61bbf8c69475c395e40f784cd933df0e57f957f9a3257c","/app/assets/read_worker-D_aTkh_P.js":"5d41c1bce8cb73eec866d2567d0e9f16bb14cc0688e3027ec09ae3319d13fdb2","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BLzNwnJw.js":"ba90c9a728c52b2d344421522b2f4ab19304813ede52cf42425b84886b02975b","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-hPPRmpmr.js":"32c1ba229fba651838145860729d9789587638c7edb7b164aff0d74628ce8608","/app/assets/useRest-C621Pp4K.js":"c2e587a089b8bbd968f9189c505d3c51c283fec402ffee7385ed597855d6eeed","/app/assets/useTaskActions-CWGu_RQr.js":"01b9762a310d5754e55df33b1e3ce0363126cfef3e0fd59856422e542b6df204","/app/assets/useWidth-DqMdrwE5.js":"e971baf211d856da6280cefa82fe8eb04a34538dadbb2f6bf0fa85b7fcb946c3","/app/assets/worker-D4vZuYjc.js":"0ba12898738fd2cd31e155c46815fc0fec12b223cd5d5cbd99556fd0038f097f","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"c67284000bec24ed0173653c7ccbd513c65828b798b98b9eefa8f2f065887903","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
