// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "1748cd23b0f61509";
const FILES = {"/app/assets/Cards-DZLywVl-.js":"b7be51a8bdf942ae5d14995eef427bb3a7d5b9f5dc718833dc5327de257af941","/app/assets/CheckpointDialog-BotvtEQL.js":"0eba57ac0f2072e561ef4ea76f3834b5633b8a1abcd19632f11153fd6208b105","/app/assets/ChoiceList-DuOoF0ZN.js":"35e810b80b242111b01c2657c8398f906e4dcdbe04edea51533ca30e7f3f02f4","/app/assets/CommandPalette-CDN5W8sQ.js":"27c6857db92508d5c773ab9c4a30e2a55129862cb6d1103d6240fd42dacfbb25","/app/assets/DatePicker-B1i2SNIc.js":"5a4f67b1aa70b7b7cd31850c38c8278ad866058a8b19c4a9d0df86812b0e516a","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-bfheQu2_.js":"d3d1385b6b7e32d6ad75454e9aa28f0df1a4d2bbc28ec7cd7b3b4d6621100f6f","/app/assets/Drawing-ynCRWBIu.js":"d0364e3207250acc116216b55ba2a8d3633d5a1b1be87d217169a454778af077","/app/assets/EmptyState-AhCW3Qwt.js":"2473f9201e6ea42afb39e8d4c031ef165ba17a6d8e6fa077005b69e26c551030","/app/assets/GanttStrip-7wA1oMyd.js":"f548bcde7bcdfa8ba95613422fe1f00dbcbf299bf3f372b16bb942631e83bd30","/app/assets/HeadingInput-C045Xp57.js":"df7b22dce19fdceb225f1c24f8a1f04557558e44b1c9fa0ed6d363636ddf0bf0","/app/assets/Highlighted-OYlltT9S.js":"d10e0f57c404f8d348ac7daecc8a289caeb345e75bc21b40237036551112c209","/app/assets/HistoryPage-DKxqEDPM.js":"002d24d5173e9afce3e219a426c033f3793ccc7e8d5c02ae19d15dd9aebeb588","/app/assets/KeyHelp-e2FBqfwV.js":"c9d6822e0215ed953072fb75b64d680de1151f8750d9e0b54549ead78b4933f8","/app/assets/LongList-Ck3I9Yak.js":"76e26d83094d871161b8ce85e71e264e1eda7d402a8d6d17742188a4c55f2fdf","/app/assets/MarkdownEditor-Cb3FcYW9.js":"cc23d51fad50670ff587c90fcb9f5a1d817f6b467183a81c606b1db5a1bcdd9c","/app/assets/MomentFields-DhvcXi9I.js":"bb162c2b822813990530b804f70ba7e925a185d6aa9f650b7db3e414a62b2d75","/app/assets/NoteCards-DD0DTsCp.js":"bd4403b044927330b855c3a4890d26cbc3e289ce44e9abc137c267afffed9829","/app/assets/NotePage-DsPx6AhV.js":"2b8d45f0f928696ba1bf9732ee0fd4c7df9e0f16ef20fabb6b4d4b9ee8d4c995","/app/assets/NotesPage-BtYBA7Q-.js":"7e2404c4c4e25f099c2890173e7e93a03cadfaa71dccf2f677135219fcc81eb2","/app/assets/ProjectPage-6QzF9Yob.js":"98c2208b93079bc5fae22d50219fe5c3127e003caf3f6f7e24cdd8254be05502","/app/assets/ProjectSelect-DDVyXqDJ.js":"4d596bc3c0c4e76fc7d79b7f4b0b00450081e1fa39e23647f188ea224e4b2a91","/app/assets/ProjectsPage-CnKR2uIp.js":"0c3bb48eb58d4203430a452b21858ba5a92605477db4042f90e0a25fa5c58e81","/app/assets/Rendered-B_fkLMr9.js":"4e6c2a818d29a918c189e5fe1532083c63f82cc08d93a4b59fbcab8501a145e7","/app/assets/SettingsPage-9jyv3j_o.js":"cd5b7e00678fde954a44302055585c1fb54fbb139b8766f0ffd6ac1b8c59ff7f","/app/assets/TaskBoard-DV_tsRJQ.js":"64d4556950b00b1f3bfea18d4cb9c20f149e88caa1ab87db3b5ed018a97e2bbc","/app/assets/TasksPage-_glYbHE1.js":"36dda830d347de27cb996be7d46412945b693d7698cbdf199610832392ff42a6","/app/assets/TimelineBlock-C9A7LHoa.js":"33556a64f74e78e8ea7bb1bcb0392e58bec871ab10aca23e31d27c136261f8f2","/app/assets/TimelinePage-BqHsLvXB.js":"23d94d711dedaa87ab029a6ec416197c448d295bdde1280a2a9d9ccd63e52c1c","/app/assets/automatic-BFIWub47.js":"5a247f835166ad80d43f5a6f0e70d1248b525734bdf5bf3ac192b1a97becb362","/app/assets/automatic-wT5NCzql.js":"725f9e8b622296b0496b52bdf9779bf11f23b39ecd9e6c058c5bb910b04170ec","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Bwyf9ZYQ.js":"48b3829c774fbdd3c2945a0e472114fef770f6c08feefa8080ef48126f6c4bd8","/app/assets/copies-BlQ0BtDW.js":"59684c63a6a7e38c941c48d61cb0f307c4ea62228a4d35b744dfd055acb97817","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-W4lPVy_j.js":"cfd6da132db2f31bfa637bcc6793e20197c3d7a3e3eb247e3b6dd8fa5171cf56","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-DrMqO2JS.js":"1d8afa984f164e70343e6d6e45395929e4021d030252a6cb102bc80175307616","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-GXAgSfCT.js":"27f22b6b76b4feced732c4f81c9c1d6dfa6b8e32cd31a5cdca15bf75dcf037b4","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-fMukoZe1.js":"c33c518697f85960eb54e605162ec9023e3cd335dced94f210c7fd09a9123659","/app/assets/projects-qcxwE4Yl.js":"d2b39a4bd6379298a6b0928c93c5dae6c0ca0c9fe879952882070586994dde77","/app/assets/read-D7xqYsqX.js":"8677f01d4c1f81ac1646fe822ce6ad98994e65dfc41bc1ce6a6336806a6ec54f","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-CRtYtNZS.js":"aa86f4d477d76388ab81c7f617aa12b61cc41763885b07158ddf635dc9b09594","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DW6XbqVN.js":"d0b0c7e93b22698d9c14005d149cf685c4d54803aa21df9f78f06c6c8190f4bf","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CXNPMbfr.js":"a14ab49282b85ea8a17c3ec0529802c90e925c9012d3c2b9afdf07fe57ebe2d7","/app/assets/useRest-Cqm-heI6.js":"9131465d8b35b137338308e25d3aae9567df58456a60017153c61c7faca64106","/app/assets/useTaskActions-B3iJk5u3.js":"6356c0686e18c5966fe34b948ab55b44fa583b60d95240d47c0813ad5bf453ef","/app/assets/useWidth-CcbbRba1.js":"9a5aea6d771bacedee15e7a65469c4248f0c8456d6edcf86d66d4f7beaf41aea","/app/assets/worker-Bj9OVH9j.js":"15034abde7ea44e6024c4b0c44dfe4f2eb05c0e6aaf3ac215dfe7e9c51658df6","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"da4c343346235e1fb25ba8c0a834d3d15b550e63ffc5e9d65c43c25fe91a064d","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
