// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "7e5304853c514898";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-C-S1Pa7Q.js":"d71e9b698829326550f7bd0ad03618550fbcae83741a7fac57b4acd4611f4585","/app/assets/CheckpointDialog-kyQVslQW.js":"31d757355cae2318dd02de5b0eb5467bc8a9bf756e9e005aef9d8400adcdd1fa","/app/assets/ChoiceList-BJts6Iob.js":"ddcdaf35cb5b9ad6c661ed5ec8f76cbb055b897067e6441bd054f3cc5e51e3d3","/app/assets/CommandPalette-cKVuV9jf.js":"83b8916c9018b3457f55bebe3d173acd5c90c7831714bb8c99a88e292cc669c8","/app/assets/DatePicker-BVFb-lU9.js":"b4300496f21e735ea23e2963ec03d0e7bbe6c7f6e89e1761becd9821c7969fbd","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-D0_iIHcd.js":"3b3c250a456cec630bd5b19a65c087555d642ae03bc512d4313d85b25bc55beb","/app/assets/Drawing-D4NX93mQ.js":"b9b197cd0314e0eecd99f406d45fbeee84d3d6f3332da55eab25566d1a9c23c4","/app/assets/EmptyState-PZgVii5L.js":"ecddd230df9b3ac9e101aa852969bc603d33e43ac90407809e55dbf0272c3fa1","/app/assets/GanttStrip-DgbrnEPx.js":"438f049bc9b5daef597d36d6763f2deb5d3f06ba6d6724c92dea030b7fe70a1a","/app/assets/HeadingInput-DfTf0Y-N.js":"c51e87df8e4679fe74ad667d0901e1afdc7acc6aa5cf5d34c444dbadfe15f102","/app/assets/Highlighted-DINrlyD6.js":"732f555f781820e0a442db0d0d6d1dc6ca026650dbf89dd24762fdd6ab311992","/app/assets/HistoryPage-3rGqa0Wc.js":"477c9408e3d003d940e02cbaa41ed06466794c103df4dae9b1670130251f6fba","/app/assets/KeyHelp-BYNQCQ3X.js":"fb2a02d4db7e3093ce563a42ed5d87bebb19f7b3c55579ab40ffc1dc779801ca","/app/assets/LongList-_Gk-SUg9.js":"265ebf7de977fe5368bd2c7c4268df5284917e9c9ca124b539653a643a85fec1","/app/assets/MarkdownEditor-BmPRu3Hs.js":"7196faccd40b41844f7f0a9451123af4373d20e3fc171350da11338c099ba243","/app/assets/MomentFields-BiROB0uM.js":"d0ec1ea30b1d469fd67344ea1fb4682816cbe13e16773e6bdf2ce041b4746e86","/app/assets/NoteCards-7RLbuQRN.js":"45917c40559d9a66966da590e4d3d4e54c7238ede629e4d42452c583919518d3","/app/assets/NotePage-BUeKEw7U.js":"e60441dedc213d8dd3a97567633054267b03d9441d0d0d9a4fbff63c78f71d38","/app/assets/NotesPage-fnmEHM-z.js":"25793ef437a7a69e2ac8865b4888b23145fe65416d2c1142ef8c5f1d5b821e08","/app/assets/OutwardLink-BA4H7hK-.js":"575c889fba5f08aae43b442f8fa91148665d90652106e2e17288f2bb8a258669","/app/assets/ProjectPage-Dqbq2rt3.js":"bbc5103739dcfe2b616ef1a1efe8611d6aea939fecb7987798d9136e83fc29fa","/app/assets/ProjectSelect-COQazNQW.js":"654fa4d2cf9416972596958e3227e85cd6220ce8559e7707758cc7de57fbc380","/app/assets/ProjectsPage-BIfuN9MS.js":"7225e559e079b964e38236a80a0ee5900dc9f1c8e2c9a3688ff7f7cb10a82759","/app/assets/Rendered-DiIR3e8R.js":"ee89e78248d738746d2578aff749f84a69edd22528721f77783ae0bebf21ffb8","/app/assets/SettingsPage-BFb75Z80.js":"5169f5a03024c9227d1825c73a09bc380559ffd0177062b7660b353e9c31af21","/app/assets/TaskBoard-BbjzoA1b.js":"e72a0cf6d9cc112a4f8bceff7f4d9e487d77568bbbe7ad5cbb4d080d418d5634","/app/assets/TasksPage-CsOxc4gI.js":"58033a598399d8eb10266577458ba2959b8018a14afa84dec07c1af6e316c244","/app/assets/TimelineBlock-BWuVqaUS.js":"e5c062b3a27a0e79a0ab44ae6305ec6604f5b336f2a66a3cd39b8d32a9a35bca","/app/assets/TimelinePage-CxoNT7N2.js":"90e417c9f011e11412818a54cca00925ca3289649622325de392cff95d00f2ea","/app/assets/automatic-LraZTEty.js":"34db369d13b017b2b3486e8e9a25c333dc6a6067db61394900396493a4ac19f6","/app/assets/automatic-NWFRp8_Z.js":"6af6a0d345cce308944858a21360cf7d9f6f5d10a071714c784734382eae8947","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Cj2O1KWd.js":"94f020b143a8a459711425a0c2e388abfa392897b7459522d3958a67181917f9","/app/assets/copies-CW7vyDEL.js":"09284b6f4bd4487a326432a2f4367e50fcff2dd0cd32c930598b71f7f36be46e","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-nWf6TEHS.js":"3e26f7710ee73aaae5f01bc3b3d8da13e991144a7abcdd13acd1fa41ba683e0f","/app/assets/examples-rcZElQOW.js":"1ba74625547de738a38e53d2a035fd9745aa28794f8f3ac9da4a5fab8d61317d","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-1KsrbfG5.js":"9969438fcd9a99d00ffc2046920e1f5b09411aa80cf8d96b4bfc61f23c1b1974","/app/assets/first-Bvl0HXrI.js":"4b213dcaf2e7233f6bee938864ef8571bd1628f7ee17701db7ee99d3f720e242","/app/assets/first-_0JUTRCZ.css":"a4409f9695cd318cd833a71867046e07a7ddd801440860b5d0383c2dcfa3a832","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-CA2mjf90.js":"985e07c0cfeab7b742a640fe90971b795636e72a7acab9336894b5b01a5d53a2","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BqIASQvJ.js":"d912ce9e18127244f7c3ef9173ebec4c54fe43943a6bbba27a577e7a4d7ff669","/app/assets/projects-D2cSuAow.js":"d4541d9ab52d0b2a3fd0d719db3a11e3a6e0be9d8b81526dbba8a75885eb4031","/app/assets/read_worker-kf1thpkt.js":"22dc42f8297e06b255cda05efa4fa582d4973af04e10cf4663bfd961dafbdfc9","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DLdOH5VD.js":"e2b51e4a19b69bd3534ec8f74e43160d3b91b6d3e2ccc8bd30fa566899994ff3","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-DG-o09JX.js":"433ef5e97c03aff0bf96d7578df344797a9d8e89dfdeb2a7006719b6b8416f90","/app/assets/useRest-CPbtruLg.js":"68091e37998fefbbd3bd582d6d39f95508e50c2f3577d699fa7e19635a0027d0","/app/assets/useTaskActions-D9pZxlDi.js":"fdc6c8a60dfbcda532257eef0f7fac49eea66423c30c3f60d2c50849d010a7fa","/app/assets/useWidth-QSVIOdfL.js":"8506e1d4428282ffbc357a4667574ec182681c98a2d12747abae6c35fbb2e4c7","/app/assets/worker-C8eWIbWC.js":"a16e6563011258951d420319688ebf7cfddd29c9e539bc0b70d47c10da2af7e8","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"5885721dbbf59227affec99eec39aef84c3af473493d11571cd6af51afec74d5","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
