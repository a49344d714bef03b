// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "16eb3cbd7d792504";
const FILES = {"/app/assets/Cards-torcSp5U.js":"9ed36fdd78b12bdcf7c0227bc25f3b466e3acfd3cf42ea807a0db3e3b3cbf09f","/app/assets/CheckpointDialog-TqzB1gQI.js":"bb9f6ca501d90621e51ee6697e509642cef9c7b9e5f88f707e2c5475ac7ac295","/app/assets/ChoiceList-DAkKPlSl.js":"cc51820ee84a944b6d3f7cfab8df1aa71bb641fb0b237d4fa2f2073707aed0c7","/app/assets/CommandPalette-DJubfuOC.js":"1fa668454e4ac0d95c94baaba00b8d626705407d2b9be2df47be81247a0b19c9","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-LyQwPXk-.js":"0dafaf4133ce53df73e6f3c06584133265b34db3cc9cc1b2eb743459d0a615e9","/app/assets/DialogActions-dPYDfDDd.js":"2ce454544d43290fa1112e5412fb547e5cd6cbc0c514ffa4ad3a5a1f4c033a46","/app/assets/Drawing-Bs2ntYdK.js":"b668c6636c07b0ba19f34103789596ce4f82ab2f3b89414d2fc3d4534d74eedb","/app/assets/EmptyState-Du9iFOrf.js":"3af4440fe2c9248cb12e975365bcd7c6ba0ea5f8c61bb90c2692831a784318c2","/app/assets/GanttStrip-DjeVB3kM.js":"b0aaefa5afe76a769e3080df21a78b25c182286697f369d25aa5c1f85ca27f9c","/app/assets/HeadingInput-2x_qsxc_.js":"74c501bbecfd085f10a2abf09851be4534c4c322b913521e84ace0bbda576940","/app/assets/Highlighted-DaAwAAhS.js":"8e0265062e3b095d37efdb917c65e4a283daefd973be3688f32b8d384b06d2d1","/app/assets/HistoryPage-B8Rz9kt6.js":"84e0b3a1d562ffca4bf9730d06df51d2908d768eacca7ca3148ead53fa25b531","/app/assets/KeyHelp-B7m2SX4k.js":"7329cbb532b6bc8c1059c3c85a5fe3068d06e5e7ed54f3277a8225572cb66305","/app/assets/LongList-Ds17_bPU.js":"9eaed046159488faaecd411532f8004de1abc3d1f3e3d32df1f68525754ee8d3","/app/assets/MarkdownEditor-BLfltHzP.js":"52ba1967683b77c99e0b9a42af463ec3505526f59081babb6c2fc9b2a0cc6a41","/app/assets/MomentFields-Bev1lhX1.js":"7640786fac92c0a65e257eb7213d0fcf7e3dbdbaf9b2534a0098ef42bfb521e4","/app/assets/NoteCards-DA7QrhSr.js":"26ac3f68b4ffad3550d4a97f76ab13fdf7a01b7855a2408b257f1ae0f0a12c68","/app/assets/NotePage-BHkzJ_et.js":"b8ded0b3dcef1e9fbd5a03080518732635acc0391949406a60dee3f4468e7761","/app/assets/NotesPage-BczeMPGl.js":"fe759287257e314939a35f7623de1bda241ba5c4bafb8bb2f6fdcda436736a32","/app/assets/ProjectPage-CDzNUM5t.js":"b9957eee93709de4534fe08b250bee62a01266bece569c6910370b190a6da039","/app/assets/ProjectSelect-CAX2X6BX.js":"dc4924adc54720509fdfa772061b25bd4c1985df753d829aba02dff885fa3107","/app/assets/ProjectsPage-CvNvGZJZ.js":"b7d0820c4b9eca40c0bd49b15d17435c10ef7714afc52444a12622bbc573fa7a","/app/assets/Rendered-C2mmE7Bp.js":"07c8772519fab661c5c9d1111dcd746fd17aae909701292e09312c7f0fbd32fd","/app/assets/SettingsPage-DAoKPXqd.js":"e1e6b4138312462461af1a102a813d9099ab2e54920d8a4dfb548bc165f29c87","/app/assets/TaskBoard-oU2cVVBX.js":"e0fda56d53893a2568c6178b9376632702369c4c2cf50b31f5dc0a0696429282","/app/assets/TasksPage-J9fLw-wR.js":"bd8973ffcd7e8787a011e4f0351e3e76d94f9c76ad46006bddd8e01e0b2302ce","/app/assets/TimelineBlock-CBEssV7c.js":"b62aa0d9294ae0d6aecc35791887e11957f6c8b210c33eba74dd8f790a438881","/app/assets/TimelinePage-ChBm88WQ.js":"319878677b4cbee0f6b7d4e77ce343f9b6fd3223aa979174b275e2cab5390668","/app/assets/automatic-Bz4w5m3l.js":"b3ba1b0f339ca17809b998c7a38d6376752a110a811847877e05cd3fe71015e1","/app/assets/automatic-CNVoidDY.js":"aefaa8a9da99545788192c75c0a3f7069ee5939155f9b58d0148c21d8ed54fe7","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Cr_Qndz2.js":"4c86e23289ba640b9bd81e8d18bdd8de4c2eb0ac830bbd5820412df4207db0c8","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-C3biDjLv.js":"2472d848c3cb519c5134e20187c9a130ef058b1e18fe9e33f2442d75d7f46348","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B6QCRdER.css":"2bb75eb0e368200ffa0dd02186e05a589f14d88065279fec617989530fa611ad","/app/assets/first-DVN5ch7P.js":"7e523922647d6a04aeb8fc9ad35764c1cee771656bb88db7e4a6ba04751bda12","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-DbO4MO5N.js":"c3081781781ced90c7216b50149f2c7c5b8033f154c48454ec87356f883eb85f","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-D4Eixz6L.js":"d79466f3244ed374849c675b812ded7fe1557a38c82a1517fab91b1c5660f295","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CTx8Trgh.js":"fd5f4d4ff7d8848724e88b789133be6ff76a50cbc116cd68de5a4f5eecdb925f","/app/assets/useRest-DmwN2sv5.js":"94465de65161b23f0f705f4f7416d4a8ccfc0c4fb929630e99f1c5bbc9a44084","/app/assets/useTaskActions-DmeKtFUl.js":"fcae4e6bc2bd22b0c2415ba18fbda51ecafc3710014882d72a12b41fe1b43406","/app/assets/useWidth-Cfn8yLK7.js":"6ab20a46cb0d7b0f61132049fed4bba6b20d894695032d2567683dcf3092fd2e","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"c63926b4ae0016b28fd81d144590e5a0a1e6c30fb111b4aa6459f12ae5a8be8e","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
