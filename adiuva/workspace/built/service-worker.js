// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "2bebc0a708c6847f";
const FILES = {"/app/assets/Cards-XmljpuHu.js":"98879b6bdd268d4b9633b1651c3e63ab30194df662f2b4db2b1ea3f8fca5fbde","/app/assets/CheckpointDialog-BsPsuC-d.js":"b2aeabff6ce2c88cc866f343567f4fbe08c4ff1a987cc9d4482eb7b844d1deae","/app/assets/ChoiceList-BIdYwDDA.js":"51c8ccf01fec61b7bee12ac0d5513d685099ddb9cca746232ea1547ad3753a4e","/app/assets/CommandPalette-DJnvt2Ci.js":"014b2a6031af137f76703e558d0e59d857b3eed36e51620b70ac82968bc9b4c6","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CrRpn9bm.js":"e907259843526d573b6333f16151971d199ebcaf69dc7795ace994bdd72ece37","/app/assets/DialogActions-BcG0qRGr.js":"105081e5117a2808d2d3711e029e2ad275f19fefb8bf1fc846e3b8d7c3b14713","/app/assets/Drawing-DxFOQohG.js":"fce8b704a99a5746d7f20405a42bf1c5747132d3626baa7ec07d2d8a6f310319","/app/assets/EmptyState-BE3_71Tc.js":"7efb06d3080654ea459c024e4a3820b3a13ea88fb51eb67b8f7fa2664953c6e6","/app/assets/GanttStrip-OunnOvB3.js":"5045dd959bcee1bfeffe190186ceb384aec2a3fed437c273e3f287f0a751222a","/app/assets/HeadingInput-BB25hBGz.js":"1459ae6e97074486e9ede4a69d090d3bdf84d9076cba783008ee5602d5eaafb2","/app/assets/Highlighted-t_nj3l3g.js":"2c3c6f49cbba70e623270986689523b2ab89f27745aeb5cda9e5f75c9287e0c5","/app/assets/HistoryPage-Bcv_KDDp.js":"fe42d045d701f49141539599bc56a98005198a10412d4f9852b22cab6ebc6059","/app/assets/KeyHelp-CQL5qNT_.js":"e6d76e570c840e9439aaef33f9dc6bc34ca3519bbf7df42a16c76c96692d89ac","/app/assets/LongList-Ce1AAC1v.js":"b6539ecf5fdf5e2e8f711a55bdb4eb7782208e9ed122fe6a4591ed62dc4d79cd","/app/assets/MarkdownEditor-pqeIke6i.js":"32a1f251f2e0744be7d0d893e62f600e59ba46e5b000f051a14d03039425aef1","/app/assets/MomentFields-BAb-nbSa.js":"08762e4ac2beb5307004647da61c52c0c8bee394eae3be6589f5b9e0c941a435","/app/assets/NoteCards-QN-o0HD8.js":"bb648a6eb3c6c637c0dba4cd0a7913009672f49a11cf6a46dec4e9af1787c60e","/app/assets/NotePage-DS59KzFw.js":"042a19ab924580460e6f773312370037931159ab4cca5501d3d0817cd870e2c3","/app/assets/NotesPage-QCBjws-6.js":"5f976295c77c31a8661ac2dc15ac34c1d18ccb3854de3ac7bab579a8156335dd","/app/assets/ProjectPage-CJRn3PQ0.js":"dad2ef0eb7cb2f20fbaf33976f44d1910dd6b36c93ea37ac61839583eee32c80","/app/assets/ProjectSelect-BfkCpBgq.js":"598bbf3864d846af53e94b8b1147e46508e5b88b8d09301b9e9f243b0ec12095","/app/assets/ProjectsPage-A0xf2xwO.js":"ba32f4ae679ec18e17f1dec8404201db218303a9052e0fb4a552ce6fb61bb1c8","/app/assets/Rendered-DLG1APW8.js":"65b71babca174f83f4970703d7b650624d1a1a74809e261357e6023779b0b6e3","/app/assets/SettingsPage-CKToO7oh.js":"ed51f5da5dbb1678a81a1df13e750bac36e773cc549d411fa4c1fb9be1f9be36","/app/assets/TaskBoard-WtijeXWu.js":"36b054d2d8d1db1ced54ab192a9fe3e287113e34b4cc2762600cf3171061c3c1","/app/assets/TasksPage-DDfKQ2AW.js":"62b60dd21baca843d70b3c92fa299b216dff1e29cbcb036161aedd740582474c","/app/assets/TimelineBlock-DIMfltQL.js":"a67c7f3deb5a311a78e4a2c651a17cfe9b919ef26182a9a34ef5a0d61e649d9f","/app/assets/TimelinePage-CzkVyMi9.js":"0bb4de3d5f153b04ee07840a22bebdc9f9e7c69cdb8d43f418b694d13e0be1a3","/app/assets/automatic-DIRV0UFq.js":"924296b6cffda700ce87885480ed624bb6647e585fda7e6d0679872c910057b2","/app/assets/automatic-DZXjuNMz.js":"17b2be3e5960486274f09562c19f91234ce923a92e33b74d7b21e7796580afae","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-D5fP6GPL.js":"11dec7cfa5a35c635362201c7d0152d3b81170a4139a7b64793029301dfaaa26","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-C0_9dZoz.js":"e92aa2bff5e9018efbe40a66fe8ca219f70a9d8c0d971de8b0469f278c05a718","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-5YTMll7g.js":"5ef43645c2f17b1a3d0840e10625330c09a152fbb35c2f8086e425b2f55c0ee5","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-5LLA8sGB.js":"0a692521807179fe08b5bb99ee453f88b69240d30937c061d82fc0081ed0182d","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-CeiuZRvR.js":"93607e39fdd526309120e1b3e2fad7f89c6bdb719c279b380e5bc66f43032e74","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CPhlBonk.js":"cf855a655546088732bdcc23200cb5ffb5bee88268be9e2bc81e273599ceca6a","/app/assets/useRest-CXjJfDOV.js":"e87260a809ff6908255c6ef1f4c1fc2ab165d61ef6671889d1f6be0eaee9f84e","/app/assets/useTaskActions-B1Zm8KGc.js":"ac6bfc1e631b03f68c3c4b3e28e5db00a79b8547ccdb62491993167e145ff451","/app/assets/useWidth-CFgP0ivK.js":"2745e26a741873169fa9bf7e1eb2cc7947ab6a5d984b9affb712710459924a0f","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"50740924976b4a135e0611d8753269b7516593cc3d67ad4b75646d717ac267ec","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
