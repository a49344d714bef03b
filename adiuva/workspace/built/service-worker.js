// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "928e75d8ced7fb8b";
const FILES = {"/app/assets/Cards-PRRz2Y-1.js":"874a819510e4f9a151eaafd17892715e0e430fa538470e712498b4a176694c47","/app/assets/CheckpointDialog-84ybwabA.js":"d1b263874126413222dc1fe2861915279ecda75b85cbb8c397385da3c6c2d9c8","/app/assets/ChoiceList-DFtb9dIv.js":"298d1194d591c519b063d548402f15f36625963425b6f09a59b717527df5af91","/app/assets/CommandPalette-4279gPSr.js":"88f066f275b1ea2d715ba207c9cc63941fb5cb2ba698e4e7bb6dc297cf313c8b","/app/assets/DatePicker-BKojhbPt.js":"f1c1ddf0bde758341fd856da0aacc749d092d30ce1f600ac94da590f83b4be47","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-C_TLSaW_.js":"ca6bc687c240e3bb2eddae5651f44bb290ad1606d5cc50d0b36bff697492f1ca","/app/assets/Drawing-CgJK0GsG.js":"516467f6d7bbd108c792bf102cc4a3c8c9ddc310dbea185be399b30819781963","/app/assets/EmptyState-UApHnMyb.js":"956bcc1a8afce18abc2f52e4a381c511512b8837c3687ee19c573927e401ea74","/app/assets/GanttStrip-X7orJ9Po.js":"0da5cd5a77567af517257b26e6245f296ca04be749191444e0359cac45a53d4f","/app/assets/HeadingInput-CpNskzxa.js":"c34f8914e5bbb410bd1046d5a7085b6ee82eb2417c08d55b455d93eb77f2e320","/app/assets/Highlighted-DIuyKO2s.js":"343fbf2313c17bf04cb89ed377fb0ec3cc4c9e5e70ef12fe57374a415eaffb6b","/app/assets/HistoryPage-DsNvmiPP.js":"5a44eb8e81a4be1b82fff24b21ad68115981a7ff0d6aedd68a99ef6862ca090e","/app/assets/KeyHelp-izQQZF6I.js":"101d78d97ff90d3db9fec39e6350cd801df5700fc095070d728b682cf5047c32","/app/assets/LongList-DKCAmQye.js":"35035cb6e1d392cc3eb323d1d4334d13ec2187d667782d1d9c24359e5b62c0a7","/app/assets/MarkdownEditor-CJ6RKipm.js":"eaa21344e41c13a35b7c8c63536716fb1bd86e79f5550b11cee83c9ea67741b2","/app/assets/MomentFields-L2nsZ9_s.js":"f039584f446d49c0cc1427687b21c6c1a1f932640a37071f21656b7b8bb2a2b7","/app/assets/NoteCards-BiF3h5yt.js":"29d415687263017a2eb6e8cfe4bcdc7f667a5f8e30fc9d22dba240aba04e0bb0","/app/assets/NotePage-CeWcqAQ3.js":"c4e4b741d7129bd8c0e23eeeab8bb4db952e2ad0bc885748656c3dc5f53e0293","/app/assets/NotesPage-CXnnp7P_.js":"6d0ba24126a00c09c0f0b3d8a9ac7d4622d70326df55a236c29f25392aa1ea31","/app/assets/ProjectPage-CfdWgXVH.js":"af8897f64d4a7c6feb4c91bfbd3e7f86e12f7dd42ff1cb26271c55e5b2be668d","/app/assets/ProjectSelect-CO0SSE6G.js":"baffaace7149af812cc61b849dc6ece96885dc580334a0ab6da43840f49cee1c","/app/assets/ProjectsPage-CEaS716A.js":"f1daef9d53701b12c8642d4d27df6b0b154e9c0c8ad66416de0e0aed82534220","/app/assets/Rendered-BhzAmC0K.js":"762f2c4814490e9179e5f2af5c74b2c5d2b72431b7b764f86bfe81712d610e52","/app/assets/SettingsPage-Dy3oeiEn.js":"1e0fd21f1a6a9be8887c49fdd2b85106284b03e1d38d9369ef711c065d5e3f8f","/app/assets/TaskBoard-DJW-2tfC.js":"b21654f089709024627076725a1305d300e3ac4fee9d58bc7c6d12404ddc47c9","/app/assets/TasksPage-DEd6LjD9.js":"956329914312bf72947411fb6154480881584bedd552c64b2b292fbbdb73a1c3","/app/assets/TimelineBlock-xYXz-Ndh.js":"66dc6e65c1989604e8ddde6f15a82b273ea1dd1a1dea4d6a800e3f25fbac41ef","/app/assets/TimelinePage-CVA9XumS.js":"48572f735a1e5ceac3f017d5fdf0e38ca4e2d9003ed60fb0c0ff9e0f6877e189","/app/assets/automatic-DJiBYFHr.js":"268781c10a6adab094079b8fd473056a4bc631f9b23a13746e2f3c3c6f0f86f9","/app/assets/automatic-UpVZ9xXK.js":"a3ffe06ee0e10fa7f65c5cc21bf747a7baf16cb569f4da050c74f470f61ffca8","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-vaToT-Jz.js":"8cd71e261356d6ee5d96b8e6c63e2ed5c457ead9d78bcadf220d4b41b1a98a7a","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-SiqUE2Ch.js":"f74487217f787e849c6d3fa8fc8ddfe7abaf71a969695605969c3226b8f5e910","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B6QCRdER.css":"2bb75eb0e368200ffa0dd02186e05a589f14d88065279fec617989530fa611ad","/app/assets/first-Czv-qj5R.js":"78f1a7a899de7438a62c8b885e31ffadd1243e3e78eb3c43e9f8063828616979","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-lYbQB966.js":"17557c20d6e286e174f636fcdd426cb5a7ca6c0b2a52885d31b315f8eff968da","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-WmnLan3G.js":"3ed4b4351b8d1a8bb567c3a45130345507dc79d2c578d2c58c3febc44b0938ce","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BRBMZwdr.js":"cd3bb7a93fb1f6d0c13ea69b762fdcdd0008d46dfa48ad30a478a228de9cec3c","/app/assets/useRest-B72aE1Ha.js":"2a863d89793c6a0a10f874355dd397437a5fca30ce249d665aa952eeb91460d9","/app/assets/useTaskActions-G60mBXgY.js":"2eb2e3eef5ba3a1def515663101dddf8cde3e9147ed5655c5d214a855a0a5853","/app/assets/useWidth-D9q29-q4.js":"3cb3c3b584a388e92ce31c5e4254a3b121f1ee7d37e247dfd8afff97fe2bafc5","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"55efafdf9dd806c11693a8c60261b438e700604491bd25fb368014188d332fc7","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
