// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "c69ecb36f698c823";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-BUe2F0f2.js":"8bfcd7828dd75196c67ca315b6374a79c8a4c00bc27c5a0fdf39ebd7d7ed67ab","/app/assets/CheckpointDialog-Dax-u6fB.js":"0444fbf6e28c5909f3c117a3d6a2eeca9341765afb746db16719b944d7406d71","/app/assets/ChoiceList-ChknkmCR.js":"7046f1dd9604fd31dc2e182c17f6af5b72581fbe6e2f11c4f1b00af3d2bb4353","/app/assets/CommandPalette-ED3mOB-0.js":"9f7154a7a9a7f313f519144ac8f6632c7c0880531fa8ef3b0bf91a562ed7db38","/app/assets/DatePicker-C6acUwvT.js":"36955b1bcafbfe2e0d0f01504bbee66b664c7d363edf86759cc64b99a25ee35a","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-itB8oFwl.js":"ec074b3ae1eac74cc6e07dd6bb89e7305af8b20be17ae014ef1a626227468ecc","/app/assets/Drawing-CAsX_Ol2.js":"c04af39d7726769a418a4fa8ad24186aea3cb34f5207d5b80a37a05728c438d1","/app/assets/EmptyState-1NBWQ218.js":"d003ac901d3773737fa81525819d503839c6327dbbe2bc1f1435a80822361d75","/app/assets/GanttStrip-j5w8TOD4.js":"bfdd41e3a33500605729db90fe9aec76c8da3a4ae33f3d226e4bfda06999d52e","/app/assets/HeadingInput-B7DsJ6Ao.js":"c7e21f184d2ac76c9633da099db4a1b17d021f5752a9d6d9adcdf8db278c8913","/app/assets/Highlighted-DXdbKpwV.js":"b4671e1df230b1520a58f7a3349c7ed8b20f570e5091c30bef42218b0be58ccd","/app/assets/HistoryPage-QkVqif3l.js":"cb1f3f55a3006b9c9dfebcca0d40e325d4bea22c344498f2e9a6e3f99d409865","/app/assets/KeyHelp-C8L7qkEZ.js":"011d776fc2cc09f647ca0a0141dcec8805f208121eba9f6b4be917ac824d7e86","/app/assets/LongList-C4DVbJw_.js":"c055d0fa365fddf1b1b2a622154b9f942bcb69b2493ddd36cda3b4f3f6ae34a9","/app/assets/MarkdownEditor-D7vFuxP6.js":"db80227cf57369054c0547ad94327320d4c443b48bd3b752055b36ca19220e6f","/app/assets/MomentFields-CF5hvbWB.js":"7dc3c121e1fc8e3481d267fe4065f1756f769062b74e3a2163bc8066713abffc","/app/assets/NoteCards-CU4qhalj.js":"a3805bfbe7f994de5abb8461ae194a6bf67a865ab8bac88da57c802bcd0df1ec","/app/assets/NotePage-C94A_usq.js":"045d549508d14d392caccc102bd3c92e970695f2f69068f8fa69a3fc5aa7c131","/app/assets/NotesPage-DHcopp3k.js":"f4173fb68bc41b8a03b3cba7e25fa0e81064fd6102c95c4c26516f790bfc1caf","/app/assets/OutwardLink-o1tEs39U.js":"61f99a4ce430fbb71e3be310464d3ae11e720f0bd94641f7314fdd5fad484fc1","/app/assets/ProjectPage-RTtkuhx4.js":"2095e44be6ee1e6e2166116966f62f010198ec962e5f57c1360bdd8c9ed41227","/app/assets/ProjectSelect-KnkEsY2U.js":"eb1ab645a5eebcd37d46c47680279220d4e713958cb066fb896ea0d4f21c7196","/app/assets/ProjectsPage-DUSq7nXN.js":"45938381e810535f155de266d1249dbb4abe64901a638caf731077550dd26e38","/app/assets/Rendered-cB-0GufP.js":"38e8aff4098bd9e926bd90b4157f8a02e887d9c1345ff3afd925b576a2da9635","/app/assets/SettingsPage-BkoiZyyy.js":"72258e93a19828a2bc88ef8d0dffb852bc7b74351f07a7f62df5c1b259445b37","/app/assets/TaskBoard--h4bDJU8.js":"aa691f558062e824c22829e038aa32ba0738cebefd5962300bce42d366febb43","/app/assets/TasksPage-BPl7bOq9.js":"d1fbdc3cb0ce1dce814b07cdfac35b4adcbae6acf20e4da2054d5145fe079439","/app/assets/TimelineBlock-Dz2sx8GX.js":"5b13ffe563d1723cf1ff8eeffcc5a2bb1514c500145ffb5c2783847a3b998f04","/app/assets/TimelinePage-Bjs8xE2k.js":"ae45d3a1bd2226735a1b90e2b05c67ca78fe18d39d9a979a842f00932ea60cb5","/app/assets/automatic-4P7RTEja.js":"1348f7e0fab14a54a44d1efce7fbbcfca0c91c82c7745534ec8544662a6f938b","/app/assets/automatic-BVenURWi.js":"7a64d635a378a9904dd195ae236678d7158c8cc073fc01190d5f786c5875fef6","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-D0IooY53.js":"e02085126cd1d168a0e3683d4cefa6c8847af0db985fce91e44726aa5ad59227","/app/assets/copies-DlrY7IPL.js":"e96b11235b493e34df00a61235cbe23a725eb098eb2fc4c784dc66cd910f9f8c","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-BOAOZska.js":"b07144e11535f7e35cebb0460887655269c48318a34b78f45161a6555161b48e","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Btk90YRH.js":"0507f9601d82e00f4c5552203ac4e23d0066fd9f28b7051cd08d99c6557818f8","/app/assets/first-B8_-7RVB.css":"e3189981a1b4b9b8b792299fe051ab44ca132df6aa638962f80cd1fa86725016","/app/assets/first-CtnNzZqZ.js":"0c812c36df090499601371411569e374c16f23a1e184d537d00dc0ef669cb428","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C-OTi0AU.js":"beeb3647bc8a95295609ba2a3c13db586c3d5edddf373a41aae078a3c6161ad2","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-b2y4dwPQ.js":"d7214517f1bd3560c1e0456d7b64364db69c7dbb626163019d84f5ec2e3f7b82","/app/assets/projects-By-wWy3g.js":"68f727799b6663bd7eb4567f44c243aa6d3d499b7bf47c4f822d37d661c094f7","/app/assets/read_worker-kf1thpkt.js":"22dc42f8297e06b255cda05efa4fa582d4973af04e10cf4663bfd961dafbdfc9","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BGUvvp4V.js":"e583b41c571a13fae98c6cd011c0a7633d592d2c340d33401910586d02540ac8","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-BbPrD4fl.js":"19566c91fe1be5e8af803449294680a70b74e68b42a30b975c3412797c9563be","/app/assets/useRest-Dtm6PkDb.js":"ec8658e5127bf9445b8c2adb98b988d6a350665488b7be23d6c6f0a8af675e6c","/app/assets/useTaskActions-DiBTUl7r.js":"dcbeddcbfab77b720272877e50a82021317f5e564005ff7474da87c0f95be340","/app/assets/useWidth-B9a7ixcY.js":"6c41bb50c903c4004fd1448aa5cb4cfb08ab2167420e08ff3c0be154022fab24","/app/assets/worker-DztMUklG.js":"95d6226e6abd63ba48d9df9e06b044a113ee45aa098132218fb8b91763db36b2","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"9fb4778aad1ee26163da597866023303c93361149625397fccd639e9ddda0ea2","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
