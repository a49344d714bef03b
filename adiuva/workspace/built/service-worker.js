// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "a7eea6796c47f626";
const FILES = {"/app/assets/Cards-DxZnbp4L.js":"80e3e25ac69019e1ee6700f08438d68b7486648a310aa26c7cc968e758bc3cd4","/app/assets/CheckpointDialog-DKFdcDZ9.js":"07a31da376ef07e9c58a5251328560252e17143c53cb202dfb4ff16cce04b41f","/app/assets/ChoiceList-CeaN82gb.js":"999b54701827bf5d26351d61fdcb8acde7c6d56bb4215b8c6e7db77b2609f982","/app/assets/CommandPalette-CIM5-SPI.js":"a01a29cb3fe9f999c950c75076bb2379393374c46fe46c9f81ca33e18e798f64","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CgYcJN_Q.js":"6257ea4fb6970895a4acedb83ce55fb96af51591b2a5117e1f908316fafb5852","/app/assets/DialogActions-DDANygMr.js":"c5b997f903212a2829d163a0ba8777e47207b903176ec8fd4f27b14f2187153a","/app/assets/Drawing-D0twOOjJ.js":"3873328eec1f5c33fbbea261514234321cad071b0a0690c9c0ee5ae5ad1e418c","/app/assets/EmptyState-C9eFvhVO.js":"00acce762b5b503dd1920a17843c1c26708da8b4a91fca9903e1441e26d1f496","/app/assets/GanttStrip-CT0_Ft9l.js":"bddc38adfc6ef52e642a758b2c994e25ca3003f4751634fc0e3dd9b3ef8a1973","/app/assets/HeadingInput-PS_BBvW5.js":"f2c5d480379f513a0671414e504abefd635d5e837630f5314f6406d2d8166e33","/app/assets/Highlighted-ybzMNgUF.js":"294ec7fac0d777e1ac8f2caabedd0a16aca232dd7973635104a7520caf9b8c3e","/app/assets/HistoryPage-dcmLLg8E.js":"a49692628d265359a3d0a88584bbcb0b4cc4ff9aa871b975d4cc2aa7b0400e1e","/app/assets/KeyHelp-CqReK7_a.js":"bbb7d61d3fbaa50c9a9936e98fa1b78358c94d236513a5ec62273c107784c3f7","/app/assets/LongList-CkwusZ_E.js":"27085ee92f2224bb7a1a13fcae035dd0fa1cbaeeb535abc178870a490e73f0a3","/app/assets/MarkdownEditor-B9KVEuba.js":"4022f3ed14d7e69747a3fe4cacf31b86c82ba4ec9c2e48c980ea93ae05500986","/app/assets/MomentFields-IcscF-m4.js":"b1865c91fe989cf7cbe2044d951b54027ca9609843ac4d047e6e56b7fcfd91d2","/app/assets/NoteCards-B0EHLz6g.js":"e43fd991ea9945b1ca14cfbcb09dbc792f8b75dc4f599de6794aa4f7b0e2fd35","/app/assets/NotePage-o3NcAH2v.js":"4ea57890201c8058047d14787c7491726dc00fff797c2938315174e8b30f49b8","/app/assets/NotesPage-yaqa_jt6.js":"804589d2233bbd0efc8673c83b938b7309ae59ba38b14991892820f8e53cdf6d","/app/assets/ProjectPage-B5VivuCw.js":"d64b091a449e0f0c8ac54e49bad28bd8d847cbd16f509eabc19f4c96479dd1ef","/app/assets/ProjectSelect--fGSrJUI.js":"89e0a2bf99249c2a5c7b57ef9ced8d5adb0fdf6177750553cdfc0369a09b47c2","/app/assets/ProjectsPage-BF5Ch4Jl.js":"60299cd2d466171b41d9fe8f700c010d408d709c0353e8a355cb6f0c707aa051","/app/assets/Rendered-CpLCXgNP.js":"c4346cd1c98a65b01556bb4a441bc7410a41843b865a017fe3d55692e383dcd5","/app/assets/SettingsPage-YXxLy0FG.js":"d5b7313c2e152d55d730b1100449596b8b9a77f0f1c825a7614acb1bea4ee02e","/app/assets/TaskBoard-Bjm0M7gU.js":"cb2b980b14dfcd8b662200ea547e0d79731344c29f79d375ecd881b77827d9bb","/app/assets/TasksPage-VmAYd5BE.js":"f47db01bf1dfef1a011bb8b96e5d6d3170bc6bcc82e5c79460ddff11acf59f06","/app/assets/TimelineBlock-VUZBFJan.js":"296a576ee9743f7f410a8c226c8c5abd04563a93f049e61eaeee5d85e2d6856e","/app/assets/TimelinePage-BnpNL3j7.js":"c5dddd383111edf1b221bfe744b9031347e0ff2eeec02a62ec843f5363de2f7b","/app/assets/automatic-B-lrvmsD.js":"37d988c03f653311f9c532f58f1d4cc522e7cec32f0c270df992b14f58c97787","/app/assets/automatic-IZMjmYLR.js":"e60a5ffba4b62a4c91c8b86ce77d9f635deb1c843c82bb1962a5805d85b5ae01","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CJxni74o.js":"0accaba3f5b205863eeee1808d3c678118ed99c8bf3087ba125fa640729480cc","/app/assets/copies-CqjcCnO5.js":"5ac00eda123841017ad8eb0fee7ae2a65ffeba28eabcd9013dbab750dde58ce9","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DmB9QI-0.js":"0be4187a4007a27b44e1daceff451d50b961fdcd9d4af2094a2edfce7bd713ce","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BJhTntNU.js":"a27dc6dd87fa7e65653b227b085f40c2a26b4bba5b36d9a23c7d9fe3ce0773b5","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-DpWnVmQm.js":"3faef1ef58ab034d04fb552a66dab59e32753493ab001c2644900f8704aa801e","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-FKfu8YBx.js":"366432fc9de353f9e51df7181a430b83d05792b9e02d54ef84d2d14468c75bb7","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DpZh21Zj.js":"b6c2ae1d8148d0bece6fa8cb84862fd4a91ec43d61d2cd39a60a6739a933dda6","/app/assets/projects-B29oRCWd.js":"4c7ede39ad4e801ca122e010bbe9dcad8985df3b25c50ce5ea40c66e2525fd5c","/app/assets/read-By802422.js":"f333a725b17954eba2f775206e96a0536263e6ab54921493023746b6ce510491","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DC4EhVR6.js":"11bd2972ef52ac106ac94e71793a505108b10a1e086193c168c855bd33058d50","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CGvrYowZ.js":"2897bf9c269e910320d9257da386e3d2681a87e41f8dc877fc340ba13e42455a","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-_d4ybYOE.js":"8cb54a2f79c50a1debcf4e34793c1e7594eca36da10ba899e0f08ff6480ead0a","/app/assets/useRest-iKnuy-wd.js":"f77e9016733eb73c5f0206fb73ce447ddbbf8ece2a997a20e0db17a2e10c8f31","/app/assets/useTaskActions-DJQetaoj.js":"076e15f0499f09aba5812b71244ee36cd8e1d1eec86d4b5ea5da7cf11d473596","/app/assets/useWidth-CkzouVwp.js":"86564bb0c362fdf8c75601d5186f38c48b64fbb7c157c5af2340f84c609e0b93","/app/assets/worker-BK_5lKsD.js":"56d8b38b0a2dacfd068fa328a51f2a0ddbf4c32380b58ebe07270431228ab491","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"05593add967f3565593f6e3cd0f744cf264bafc67337af8433d5dc5df1eb7d6a","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
