// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "298f72334c5545c8";
const FILES = {"/app/assets/Cards-Btz5WieE.js":"81e56165bd64666bafcd8d059f5e50afa4f64cc6bc0161bdf68976668fa727e3","/app/assets/CheckpointDialog-3xV156Ig.js":"d0d222e8fa486e9b4a85e090456d771e3af9f9ee0461ee8e18dd67a241fedd0c","/app/assets/ChoiceList-C2bX2FDh.js":"b7f74c3cfded376bffa9e37b61a0fedca0b809eff0aaf8e18a623e4cc691fc41","/app/assets/CommandPalette-CMptKlec.js":"636bea3b79b256118417ed8c7614e00cd3ff36c9e1afe9ee0b859efd84c383f2","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-j71scblS.js":"6f8a97dc73736350443df5ddcc0b94b3e3df1153a4c7dbb932e1e34a922121fc","/app/assets/DialogActions-iaDoC0Fl.js":"0702a1f00a52e562574c69220dfce8707f334864d65e35cc1c4a922fedf46d05","/app/assets/Drawing-Bb3wP6CO.js":"41940a46b79587b1f95c5ed443d9980253b11f25fc02893cb3e4a1179ca672b6","/app/assets/EmptyState-17Rx5CUt.js":"64451e1330f3fc184e9f83cdb0f5347f9979213690076beab57ef0d6882a6152","/app/assets/GanttStrip-B0LZFImh.js":"9d83afa250bc89c2fad45b8beca792ac3d00b13a0fe9123b9f3bd1d2f962e632","/app/assets/HeadingInput-BWCQtyU-.js":"001237959939fbaaa6b2b9fb79914a853d76f70f6cf07c1e39010199af644cac","/app/assets/Highlighted-C83Fhb_7.js":"a779905e6066fd892b11f69e2a28e34631d94e8f0ef1442970d02421af645470","/app/assets/HistoryPage-Dw9evRdq.js":"b9acddd2f210f34e18532c4f9f221adf720f5e3e6e4fd781c5f418d713902f52","/app/assets/KeyHelp-KOYTwFvs.js":"3e160db3ddf956fb2f31e09722ff4e2958221e105adb0735facff0556a14845d","/app/assets/LongList-YJILNsSB.js":"0fc4c4762f07263d42b9f746550ab7775ea1f9887ee003f0a7b391ab24a88df7","/app/assets/MarkdownEditor-CjbY0k0P.js":"55ed520c1a29ba9717ee45a949acfd72692cc2f8844017150c78b5c2bb58257e","/app/assets/MomentFields-DZqpuDfz.js":"45485425356302e80ae1a820d9637ff972a27e899bbf1e11ffbd4808528bab3b","/app/assets/NoteCards-CLj8IQ9p.js":"b9839cdb0165427b4aaee52a573da2ae8cdcd40a06bd85ca4ccf683ab9762830","/app/assets/NotePage-DfVVEp30.js":"de869e453842efc391922c24e8c1a4977d28c348a4036b89d9c7f1fe74386e12","/app/assets/NotesPage-CMQ9NCYm.js":"60d7142dab00eb2c1950c944ccdaf66475b61446877daaaae9718a4aa6f97fa4","/app/assets/ProjectPage-D9ko9XyA.js":"7a75034badcf00250d2afd60c4d32dfed53eb7aa2196795a8632562404816305","/app/assets/ProjectSelect-C3XbWvOY.js":"20cdd852c5235eec7af56626eb495855f6ce61e071d7f59f5c19f61a86fe586a","/app/assets/ProjectsPage-DJLy0DRY.js":"aec5bdc0779dbe2e06a4dcc025dc853c51ee7092fa323f595a2e47782e774f03","/app/assets/Rendered-jpwhS7GN.js":"00129d8ab40c29ea875f7aea68c1662bc94d67565f73c005c3fc6ab638437c05","/app/assets/SettingsPage-3bBmi5mn.js":"57aecf6e42c2da28eba06a302b2f5a17dd0c41c209cf667dc62a1cdcc5f938d5","/app/assets/TaskBoard-Ct_-L1zi.js":"e92a875c250f6e307769cda644a4ca36b7dd9a34f5a61e879da89f2358e4742d","/app/assets/TasksPage-DjSosxUh.js":"ce9611fe2ba8889b199f76a74ff610e79c3abf8f28a9c229e6fd9e33bab883e9","/app/assets/TimelineBlock-D-RO2OCn.js":"2061a69f4ddb39303f48550d654f56cd9da872b57acd03dd3c06e8d6626a7810","/app/assets/TimelinePage-C7pJhjVD.js":"07bdb57edca4df9ca79ae245293f35dd7f98b143a9cddc4a5cca7e0765c91d06","/app/assets/automatic-B-YY5hM_.js":"ca5c289671ad195d4441cb3e37a71a2e8977d9fdbcb1b9516fd243c5dcd6d1d1","/app/assets/automatic-C3x6nXbv.js":"2592d5eb3fcb21e12b7c3e8dd00f5576e392a553a7257d398d05b786bd089cec","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-2Fngi_LB.js":"915c1c913bb2db16de2da552d765c65610774723afebd8b885b4915cb4fcb581","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-BI_QSeIj.js":"57a631631f24def57aa7663e8011f9f17df8f6631be061638104826abf6a7043","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-BWHWDZ1U.js":"265ace1e5348146215eca958d24d3d3c236925f7d47750d3d0066dcf173f1628","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-hC65RYYI.js":"ec19a685f4e9f9492c533844d849c986dbc0b1380b4de7b02e9e715801368e54","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-pkiq71DL.js":"fa8b8de2e045d9d0c730c996a3c2e196587ca9a8fe63d66788873b0b410a4599","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BwVL_JA9.js":"7497aafecc5b75ca239546c1f7b653ac088ae7e881c51c24e314d5cc4fcd6875","/app/assets/useRest-Cnifyvz1.js":"3c6ab890f0a1235bb8f6ca061072548e9fa7778994fbf2bb5f024706b590d084","/app/assets/useTaskActions-8MemqTr-.js":"e878afe47f574c442461ad5681a3d8de2b6db6a9d5e3b3acdc3e8fc4fe50f622","/app/assets/useWidth-DlYP6RWy.js":"8e52cfb6ef08e3ec73955cb28a96086b8974340f018eee639b60ccb57586c7e1","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"2b30768206e3772c8b0ec2a1cb9f5feaae9993fa0e7f7db8a3b829d59189467d","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
