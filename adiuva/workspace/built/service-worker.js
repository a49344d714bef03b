// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "53e7b201832816b2";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-9rnrXCNy.js":"1ff787487b9a4a4585ba7bad205b2dc84c0001c818a9bcf1d67897359cc48b24","/app/assets/CheckpointDialog-D8ahCeQY.js":"1217dfa9d0c59d04f412bb5e21c0c2efdbd2ba5fbc99dccd2afa8083ee1aeaee","/app/assets/ChoiceList-DOez_AJl.js":"9fa4c7860a3a406f54e8d0d7ea72c2e1427de726bc806984f108fc06d78ae52e","/app/assets/CommandPalette-CznVvoaE.js":"22bebfe51ef2c44a685c46282cf88494a84b817407cd9ce49842df42c88ffa0f","/app/assets/DatePicker-BbYT_IC8.js":"23cec882fa8a01f17b3c7d9eea5b3781c2070950f613ddc2ee264f987e70a9fb","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-BCJxKlc5.js":"6e703e114ca52ac55671cc590da6a9d0ae56be3dba819a1cc6d64ba253d0c3d3","/app/assets/Drawing-DFxUwEsQ.js":"22901aee2b24509ccb6ea132bb2e2b3839ef9e66f5a005ce4acfeb64da292c75","/app/assets/EmptyState-pbkkgUWs.js":"1f5509fa0dee5b3269619f3894a6bc2db67f415594c593baa9a4d7005d34f700","/app/assets/GanttStrip-aW8IoVKi.js":"656756146202c034f7463a607605d479f989ba6854ecee3742c51254bbd95f84","/app/assets/HeadingInput-QSZ1fhuZ.js":"f9e5d04133734e8cdd00d3e2b50943d4a064613a41e15f3922fb0d06a547545d","/app/assets/Highlighted-BBevx8Ub.js":"5ee79de73de3bdd79a7acb7ede846916124502e51413025e86e86b6317ac03d7","/app/assets/HistoryPage-n0fA_Jgs.js":"4202b867ac6a40a3873f4f1b11545cc63ffc7efc548e40c1a943712048999ad1","/app/assets/KeyHelp-CaGd5oZL.js":"e794375eda4d562d6beadf2c678da338aac20f9e19a5a2b11d472f7c71a7a693","/app/assets/LongList-wXwUBXA9.js":"39c93356206a29d1d8ef9dcff4f58e957a16af0cde43b23870a26e71e52ff49a","/app/assets/MarkdownEditor-CDu_T5Y7.js":"011ec9aea7eb9489b3487c2f24477e7ec0cda2196cb74c80c647a21bb90b7b08","/app/assets/MomentFields-BmbbnPPr.js":"759d1d069e494a6fc56d8340f225f488ebe258374d427b95b76e45cf656f3d52","/app/assets/NoteCards-5muQ05zn.js":"a7225dacf55c5e977349e2274075d66b06504dff156f3cf2985ed524ba34507d","/app/assets/NotePage-Xo0SYDL4.js":"3fe9f403812404237595004ba771cbebbebe000bed365ccf9b999053a415dbc6","/app/assets/NotesPage-CPvessHb.js":"5857bac16b723607a3f5e58257285e8d839805c8e0f71945690a1d3d07a42863","/app/assets/OutwardLink-DBdd64uV.js":"a7e7cfe2fa72e0f54db3cb80c18b52bf10d83adbaf59bdbda28e6f1ef84367e0","/app/assets/ProjectPage-s-TTTKXU.js":"531da45625fa2b9e3e9a4a8cb3afef6789186d3924a5025033ff985fcc5ffe2d","/app/assets/ProjectSelect-DFQulu0m.js":"f23441e469c74bdc489d39452be1d4ecfa528e0ff90ecb7acde9c7d729ea2557","/app/assets/ProjectsPage-LtHLHsK8.js":"6e635ba7a7f246f0393e254bd9a0753e2a1713196953be9ae15d018b9127e313","/app/assets/Rendered-C55IK1ZW.js":"8fe379798bb20e7a1a41e403507d50e664d83b7067865a44885ea910563e7760","/app/assets/SettingsPage-DmsRNwMn.js":"a1284c45941ae6718668147ca7938556a036c8d8a093a4bfa22f0906a61bf004","/app/assets/TaskBoard-BaRd3WPu.js":"22a0e0e2894315c6abcfc2943d794f043855b7691c0dc3f9e6a3de656404371e","/app/assets/TasksPage-Clwz-xbT.js":"e9af6134777b1f7d93d12ec04bed11864159c0e99f88a14eb23c978c3031c175","/app/assets/TimelineBlock-TQ9zWy6M.js":"ca4f9d2665a5c9770aa5926d0727c15da4ba7b0f992c8bbcd5daafc55cb965ac","/app/assets/TimelinePage-HbFyX-hU.js":"108bb9f0fbab2673deb9ccf1a8f714cf76da2cf5889428cf90ecccf94ecae899","/app/assets/automatic-D3G3LK-N.js":"a9527e0258d1e47f671c2af6fa8203251289551ca957f9d402b4a9880848b3db","/app/assets/automatic-Dv3QiD9G.js":"9a6a1f02a03a855d263398511c941e5792d43a40695db83c8a7836b1b076c69a","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CjB91GqT.js":"4ef401d70f10b091e207a6b20e0b1e377d3d8c1eaebbcac69a177a85e39a3655","/app/assets/copies-BTVLixJP.js":"4fc26a5bfa49ffb570cde13c811ff1a07ffc56dead7837f4dc6b4713c979e8c8","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-Dh_WcqJA.js":"ab453f874a299c298d0222fc96e332d9a9976917b5f146bf13122962dbc62257","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Bb-Lz1uB.js":"08dda0568be49509a74f118d9abd04dd549be4b3b859ecc3800253c0aef8872b","/app/assets/first-BV3q51ZZ.js":"5d66b77965942bc2de60b3e35fd0456b2a8cca34c7f1f6875f03f7d208bafea2","/app/assets/first-_0JUTRCZ.css":"a4409f9695cd318cd833a71867046e07a7ddd801440860b5d0383c2dcfa3a832","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-CA2mjf90.js":"985e07c0cfeab7b742a640fe90971b795636e72a7acab9336894b5b01a5d53a2","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BSF5cD1z.js":"903030bd04f67ba379c8e757b786fa2f57d9d9437597364aafaaa5925a32f642","/app/assets/projects-QoTjBm8i.js":"70124cd942a5e569535539761877bc9ec2a3b2b3ba369c289a48673929e3a4e7","/app/assets/read_worker-kf1thpkt.js":"22dc42f8297e06b255cda05efa4fa582d4973af04e10cf4663bfd961dafbdfc9","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BFRe6huq.js":"a6d414a8c42ab2a43904126a0d4e78d885886d875e614d63f65728bdab08f925","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-DXfXUbwB.js":"98f1aaac5ea317b4f0f726cd6106e63b0ebead3207cc11819c7c2fe1d23d83ac","/app/assets/useRest-gHtMNQAk.js":"6d11439aaea192c0b788cd14aef04d384c145ac8dbed10ce83314ec580a5c499","/app/assets/useTaskActions-DHeIHTdp.js":"49d64056fed0ac6182575f5e22097ce25a12e2efd955788de9264b1af9648bec","/app/assets/useWidth-DJQt7JQH.js":"dc51a863e0780ec25a93f8831859fc3f9dd5d3f3d41ff8be78d49cdbdc3cadec","/app/assets/worker-CzKxuggc.js":"ce340e59b8a05b8bd50e27c8d97debbb14925d4b453acf1395fbe9e10bfa028a","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"4aebfcd3a60681df46a0011afe92602d8842255666f5719e66646d0b89cfcd2a","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
