// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "222ab171616a933f";
const FILES = {"/app/assets/Cards-BpNtsVJ3.js":"3bd508b181b7ec322e33ee0e04b9dd1ed5154e6cd244e898a3fd61d03c8f2687","/app/assets/CheckpointDialog-1m9RuxAd.js":"e2818c3ee8d8ed6b3d817943182d4b72d81652e3ffa6d3a3ad5a9ba2b1138991","/app/assets/ChoiceList-CYb9MN3d.js":"45fb2d8ff95e468f41669d2bfa2b801e9bfadefe968922842c4c5f11f4ff8864","/app/assets/CommandPalette-KEbwt2GN.js":"5824a748fed78349d1d8a3040ed9c4b24db20d9c5420365397b4375e283b4e77","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-DSyfS3Jz.js":"4769d2731e60baf4e7b2f982c2ddeda3779a2f1b7956073b3bdfdc74f58ffcfb","/app/assets/DialogActions-B8N-3DTQ.js":"356cdc3c7d5da578b792216e6fcbc7a0a2cff906c07f51db7425ca697af2df99","/app/assets/Drawing-tnYYnA3I.js":"bb7359efe46ba10d03dabfe3c2279ea2bb2d47e5366fb6fcdcedca3b5a2d0111","/app/assets/EmptyState-owonV8nt.js":"e8af74d296bf84fdda4490c1aa03acb177854c543a9830271a946bb8c87a2e0d","/app/assets/GanttStrip-C21QNTQc.js":"594e30db1c8956ce8866f3d3d95b7bd0dc784141349ca04ceb2f7be8bbf92990","/app/assets/HeadingInput-CBSrk_y_.js":"5c72813040f531ab69b1cc0a67bbdce59b10ac560f5bc429fce7de37b37d2a8c","/app/assets/Highlighted-DLBqs6D0.js":"5b02727968c5651ccd78474093502f4ab17ba6f9e830d167196b3516f7145462","/app/assets/HistoryPage-DwtdPUND.js":"d8ca431708e0f4d60d56341b5e52104b3eb94142b11bdd9f0f07d372b0f7f0e7","/app/assets/KeyHelp-CEhr-1uG.js":"9dbfc4aa280350da2f99d806394ff8e2577ded5e32b848936cb7ceb29b9e0e8c","/app/assets/LongList-C2s7h-3h.js":"95dbc62ab4053045eb3f6a3188fddd80256806d5db689aed07a17862fe292d38","/app/assets/MarkdownEditor-BkKX_JnT.js":"5108d56cbfbc3272429df43f03831bd8451e3761d6129df0416cac22d31c52a6","/app/assets/MomentFields-CXEMpln2.js":"f737ee5a0193eb95f828fd5019c7f80cf41a871a593ca1c49cca205f48736d94","/app/assets/NoteCards-BH-WI6oP.js":"2801866bafeea8d1e53e57fead4bdf7a07ffea3fcea61bb7c1e27dc167074313","/app/assets/NotePage-x8uCWE9X.js":"1aa5ec281135c619f414e899eb391eff4b7b84ff74ce4abe0e198f83df376130","/app/assets/NotesPage-BvFwzlYC.js":"714f6ee3529131590f95fc91641211ea7d41224f424db38adc626cb09c47e4d3","/app/assets/ProjectPage-Bl6xuCN4.js":"ddf1a71f49a68d49eeb5ea3e9b74dda01516c54f202d6da24baefa86d822a74b","/app/assets/ProjectSelect-CuatR8_L.js":"2284aca15743c439282333b59a759d756d336094bfe0b6a0f97f463b9545bf22","/app/assets/ProjectsPage-41NQwCGH.js":"5726b6b2ecc05fd6d5bc0ff9777026df680060ff59c401941663d18f7a8f2824","/app/assets/Rendered-C_U4Bls-.js":"98ff958e2200c9f0bcb0e584ec3749e7fb9fd1c78e8165644dddb430f727f350","/app/assets/SettingsPage-CJ-dA3Ew.js":"067602570381bf6542a9e71f228c002a98729694f7794b376b57e5e7c62c936b","/app/assets/TaskBoard-Cd95yDto.js":"b65b245326f2ab4f7032d41e8753a8f6b3f40bed31952e9e9f160923aae2c3d8","/app/assets/TasksPage-DgcYcDtt.js":"fa97f86034c8ae507914152eceaa6c983dc0af80d814bbebd28b5b3959a5aad6","/app/assets/TimelineBlock-CkAH2v0a.js":"ac103d60afa303a4a0de6130092784959d60d706d50f47ec224566dad8ee0095","/app/assets/TimelinePage-nWM0aciI.js":"f9fecd0c16bea2e49854b3e0844ae1cf6ee821d9e8bb16914ef220d906311ed1","/app/assets/automatic-N2Ug0iDS.js":"4ad1f79466f0185ed1f67833c7f9a707480d52257f8874d66d18cd118d47dc4a","/app/assets/automatic-fUB119F2.js":"b82d4009265bd03f8ebfec3c9864f14e2adbac5144b75794973acdc46b0fb767","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DrKT51YH.js":"3d3cd24f6ef0437604ecd732c51651d76e1d4b096777a3a08ae9070b7c8cec66","/app/assets/copies-CqjcCnO5.js":"5ac00eda123841017ad8eb0fee7ae2a65ffeba28eabcd9013dbab750dde58ce9","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-B5Yqn-Yr.js":"f28160b219fe55f2c65fe74bdf3a9a3f63a8e5b9e177a6f44b255f6fb0306e3b","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BJhTntNU.js":"a27dc6dd87fa7e65653b227b085f40c2a26b4bba5b36d9a23c7d9fe3ce0773b5","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-lnWqQBT1.js":"8034e148e395f3865827e76c774b81ccb120e79df70564db903f920b20a8fa0b","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-FKfu8YBx.js":"366432fc9de353f9e51df7181a430b83d05792b9e02d54ef84d2d14468c75bb7","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DpZh21Zj.js":"b6c2ae1d8148d0bece6fa8cb84862fd4a91ec43d61d2cd39a60a6739a933dda6","/app/assets/projects-Dj9hC1u8.js":"448ef352f64d15ff4d5086a3b8ccf76845ba6589fed7d6cc276e42eaff968514","/app/assets/read-By802422.js":"f333a725b17954eba2f775206e96a0536263e6ab54921493023746b6ce510491","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-C1dGbB2i.js":"21b73f135f012b8b63590c93fe280f6602b19a55741b8f4f89a3a3e95bd4bcfc","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CGvrYowZ.js":"2897bf9c269e910320d9257da386e3d2681a87e41f8dc877fc340ba13e42455a","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-ksrQmlYG.js":"094748cab9f0827aaac224ca143b20826e888d5b4af96614c529a54c3b16ecdc","/app/assets/useRest-CWtgVbmO.js":"1f57d04efc9fa370bd4110461d34233079c37c334cc396ce69822209f81fdb34","/app/assets/useTaskActions-DrA5PQez.js":"069ba96acc442ff4762676efaee2261c25ce1cf0bc317bca8dc6f8a8a8d2277a","/app/assets/useWidth-CoWKs78o.js":"e8fe21ddc6c4da94eb3fce29a7c11f7c3a6509bee87d996cb41f68fd3e307617","/app/assets/worker-BK_5lKsD.js":"56d8b38b0a2dacfd068fa328a51f2a0ddbf4c32380b58ebe07270431228ab491","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"d4915d3f2be2ff32d3494b676598cc127fa98118b06dfac873bd661e43da7241","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
