// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "3cf6517362df3d6d";
const FILES = {"/app/assets/Cards-LOx-zYYO.js":"49f0091b68a8b1bafa6f00d79b7e849f306d358eac60343b541023dcc5ecd21b","/app/assets/CheckpointDialog-COR7TOgG.js":"816bd5be4ff2533b7a269a0139bc522d125242319240ad5295aa627d13c5af24","/app/assets/ChoiceList-LXbVrSAB.js":"ebaf7d95734d2377ae3b054fa0fc1d7f4563ae61fa4e70cf14747696bf7b1e8c","/app/assets/CommandPalette-fRIdQh0U.js":"eb7a797b630a879cbf5fe994c13351d31fe7b2ff37f709694787d0288597b130","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-bY75EH_w.js":"0334548765e088e287fb06ca256cd6ab4e4dbd016554558412c552a677a471f4","/app/assets/DialogActions-u85Ji9QO.js":"fa07e3badff6df124ad2ce023ecde6b8cb6450fcc74be95ec3aa9d1a740229f8","/app/assets/Drawing-2AmuiX9D.js":"281ca83d9d94fbea534c6c5af8ee47ffd64f49cefb367e87bd58bc560e783abd","/app/assets/EmptyState-Bw-xJEx7.js":"d39a940bdfdb45dc3dba7c6bb1bd34e919d56524f0610eb1cacdda16dc04bd33","/app/assets/GanttStrip-BNpIIvb6.js":"8a86d953932da5a3de74add8afbb3df9cbeb32abf7289e6d5545bab12dae3a85","/app/assets/HeadingInput-Dy7tk24o.js":"73babd6230736bf8e5e038f7195c48cd4d0c25eb2a9a239c34ddb1ae4e78e93c","/app/assets/Highlighted-ByC-j8U2.js":"d6f0508b37aaa0640df386f18e51c549b1ca7a579b2f194704c7af5202541315","/app/assets/HistoryPage-Dg6BYojm.js":"fa23f46279b844ff25fa998410ee36c7fd205ae6ccc704c48904ad2ec1c47ab1","/app/assets/KeyHelp-Bn9aNpHV.js":"d1dc18694a716b6a5333d51b0292d457214362a3567013c3f7dd7ad5c3cf46e3","/app/assets/LongList-BAWWUTc1.js":"5e9054ec0283acc2a8ff2929e8c2bae5290bc7ae557625fb353200810d348b20","/app/assets/MarkdownEditor-CPrZB07O.js":"8b16f050b0eb6a198246ce8809c57c6d8450fdde38c12e8f17b6b8f2cefe7e4c","/app/assets/MomentFields-DoJj6G3l.js":"6dca1bfe35919054c25329e8317239b971211f1834bd7a04dbe7cfa9f71f525a","/app/assets/NoteCards-DLyVwoWZ.js":"5ebb75ee837a20290bf2c7887731c095e7f130082f4d6828335b157656827f02","/app/assets/NotePage-Bxi0EsUS.js":"0953d7fbd4d009265d928ebd0b3a54ae6d1cab2541b08afefd16bb729d675dd4","/app/assets/NotesPage-D1L8vkCP.js":"2cdaad67f6d8e97d7e11a3bd9c41a73347c6f96d7182e19f6ca9248307723188","/app/assets/ProjectPage-Cu4-RvH8.js":"64ae70bc5ac8b2afada4a3f2f64e49f180c0e50e6ebf20f0786de3be1249b279","/app/assets/ProjectSelect-C2u9peeY.js":"c791ef5535647ac5e23321157d0344ea909faad433e9b0e2b09c58ad426ee186","/app/assets/ProjectsPage-DVQ0An2A.js":"2a18304e1b19b1233d2c0dd55a392f3dbc5ebd8c3040673109b1f6bcc969717f","/app/assets/Rendered-BF-aRCuv.js":"b2fbcb6007a34a74ce46690a1efd5359fdc5da781da43eb92f4041007479a6d9","/app/assets/SettingsPage-CcDDBQ4M.js":"7fa748e68125cf5b3c1a5cb9b507d8b32816f88aa2d49117062c83ba173f057b","/app/assets/TaskBoard-CI3TSev3.js":"3928d9d5f5568e5e272b71e026eb5b354323cbcab42a80c5cb5feda18b4f557a","/app/assets/TasksPage-GjwmqZz4.js":"bf16ceba8209870d9eefc6aab39fdb2cc10f3a2acada885b923fe0f4f4d8fa68","/app/assets/TimelineBlock-CCwjfHmU.js":"152dda8ba2c3bb004c3593a3446e8a576b6acd263af286cde862cec61587afdf","/app/assets/TimelinePage-CZlltZsV.js":"1b85769f2f0b8b546cc5e7676f01d09694db71f990da3f6a9ee4cf527bb8fce1","/app/assets/automatic-D36djZDO.js":"c125e2e637f3b87b58d142cd05e7637cb5e07cd6c459787968a3c3f67f06b680","/app/assets/automatic-DngluhRk.js":"42b778f1e6ca233f31561ff8b888ca14e2cb692220ef71690ee7273e0cd9e12d","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Zhsd0pjO.js":"17c9e4ad124c8e489582f79c02351340c74fa4c4dd0c7aff20656e2bee63e22e","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-CrFhpazB.js":"76ce7e3d0f9265e0fc5e128a73cdc66d17bd7abc0183192eabe86dd7448de3db","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-9aUZaaWX.js":"523ada0ae62f6fbac1960017e45137e77ffed9e6baacdd00a7b4cdddf6b6dcb5","/app/assets/first-B6QCRdER.css":"2bb75eb0e368200ffa0dd02186e05a589f14d88065279fec617989530fa611ad","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-ClJHoQwn.js":"74cd80c4c985bc0adcf68b355cb677f7144ef4b6ad2292b4e53e3479f0f08a00","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-B4Qa9Vd4.js":"7d922906dcfa6031f8a1f793bc42489a1c589731b3adba87be763b6b8ac9b916","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CE9Utswy.js":"5c34f9bd46ffe3833758b880c6521840a2806e992cd207fc2d8a2ff69b3ed4f6","/app/assets/useRest-DtkvJZTb.js":"4a2db97e83d76406f34ab5dec8a315b08d37deaf632ab22835329c678b620c89","/app/assets/useTaskActions-B24NKMd3.js":"3ec90e103b0697bd69351f62b7e881d9fd7d18f2070a93f547dd679c0fc9c403","/app/assets/useWidth-BUgOpIyn.js":"7f5ada4786d5453333e9cf4a0b3b6dfa9180e05f3e609065549517553965f668","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"e8f08f1daeb224e7e5f58a6badf0167e6b8791b84bb8947d063ef5789351f8eb","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
