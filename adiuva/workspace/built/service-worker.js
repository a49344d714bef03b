// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "334963301b0ff610";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-D1swBWx_.js":"669bc6cc1e53cd219e7969336c3184631a0b0d490be92902bda0f2d658fef07d","/app/assets/CheckpointDialog-BAM0Imer.js":"5dffd8f51401955355fa41d0d95f3d9ab525c9528ccb863d628f8dbb2dc2a20d","/app/assets/ChoiceList-BzD9t6XY.js":"9a3bb3df72ad3e306257bb2b4dae6261cfec196852494daa4b914b7c0702778e","/app/assets/CommandPalette-C6r_BJjs.js":"79cbfc310b42eb566e258f21f3c94b0e51ce758f01f8c41112305209767a5ebc","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-ZDYD_ip3.js":"29de3b61abe450087116ab2e847f187831dbd70261c7ee96683c86983f2320b9","/app/assets/DialogActions-CqM7ogTN.js":"0b1547e5f83988be964e20ba91a0406608f47e2351ed0322fdc36be97aaf27e4","/app/assets/Drawing-DatKOpvG.js":"d2b4d8c60ab194fa7f73248de125625dff88e5573dedc623e6606bb655d20344","/app/assets/EmptyState-pWDvscAO.js":"b739b158cd63761eb1ae0e3c1f301a7e9fd5d554edc2e5cb07108d9b3193b461","/app/assets/GanttStrip-DNpVlXbS.js":"6b50025880ffdd8eff97306d3123171fef597d135fba784ed8190ef7d932953c","/app/assets/HeadingInput-BbnGWU8N.js":"dc7160f77ab66544e93c17d2cf1555ed087cd7d5ad506e73f320f8b4388ebed8","/app/assets/Highlighted-DUNoRLmI.js":"afc1bb20b6a4bb821abe2526593be55115683080942a853860f8fc6c943a2116","/app/assets/HistoryPage-DR8DlhzT.js":"94005acfc3ae66cb881a52f7cd9c69f875a985629a333e39c029bb352ecc1171","/app/assets/KeyHelp-DcdmMm1W.js":"439f487025d96be0a4724e879c2814d6604cb0d7994b13b9d691c1dbe0a2efd9","/app/assets/LongList-Bjve_yd_.js":"789fd14d1ad11614107080cd8ac0669ed04b954147e0cf74069c81e68de408b3","/app/assets/MarkdownEditor-DY9rrQKU.js":"ab814415bcf29e54d0c156a10dfa9a76ca0d0bce599174d91231e57d56250469","/app/assets/MomentFields-CL9kUIQg.js":"a87c4ffd5810f4916253225788b2e52d5764e31d4f2817dcc9105ab5bec843fa","/app/assets/NoteCards-Ci4ESxYN.js":"0c6c97f676d1158c468312e0cf2275db9ab9bef17380e5efb72e16ae81b7798f","/app/assets/NotePage-BeAS7-pM.js":"7dcc7aed36f348f98c4eef42f62ecbf5c910a864b8e1d871389ebaea056b70ef","/app/assets/NotesPage-DX4t_41l.js":"90d6221176596f3bc277da8428ba40fb21f1452911bb96acc83c37a3763ed492","/app/assets/OutwardLink-DSaIAi8X.js":"90ae9e1c33ae95ad7ed80077c4d232a9f2fbdf36c2b95844952b51129879762a","/app/assets/ProjectPage-DVkPm8fM.js":"e833652aa61a17bdd48912d6e9b333347fcfebdd267e65ce1f68535f049d77d8","/app/assets/ProjectSelect-DWS_oCix.js":"5e58d8132167549e13dbfc138032b758da0e7f142cf4ae968a048cba9d07092c","/app/assets/ProjectsPage-DaDd5fAC.js":"72681bd3864f6bbad961fd8908df99e90f531e27ae2469ae4f797da285e38c45","/app/assets/Rendered-Bhwgci9p.js":"442dc2beee93c3338e21e1808f712252de690a64631a5975bda35badeaa5e47d","/app/assets/SettingsPage-LT54uYgn.js":"76c5d0753b2928a1ce90e8d36904036dc940150d381e13670f77b23bf02a7cba","/app/assets/TaskBoard-CQqFFOuq.js":"9fe87ec84b365dd8f4675375033927ca21faae5980621a650b6449426b69b90a","/app/assets/TasksPage-COvRVYU_.js":"0f9731467728e52bd7b3b038eeee3e2434c06586446d16445cd9ad99a6f818b9","/app/assets/TimelineBlock-DOLiACON.js":"7fd39c6e85dd65c8cf1f7374810cf63e619227c3a1280cd7941c578cba0a87f0","/app/assets/TimelinePage-tM407oNm.js":"fd17e8618ad3d7aae622484a8ee1d2516731c10a09b6b9276870e4c0c5f30761","/app/assets/automatic-B8caGIlX.js":"445c4e74e0a9bd4f318886ca71c792120c51fa590231bc15be6dadd2ec30686c","/app/assets/automatic-Cr3D-brH.js":"ec674d61a738359e4c7c2f33478e1cd86abc59dd4d4b4953b000f6de41127cc7","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-SVZrtoky.js":"f6d800cd8ff72936ebc97c76f36a7474a99d938256eecc31cf879d545e3353b7","/app/assets/copies-B_PzUXt1.js":"a15f104a9c091da9277a3daa053746f9b45c5db8b2f65bd9d5b6e32bd6bfcc38","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-C3jOAzZ7.js":"a632eaa964665d462565dccda44d5b1f3bda2504d6eee3418116fbd062a84718","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-f4O4d5T7.js":"ec6a654bb037c37542ae8db9f4f4747ea4eae898f5fba97a2b7201a96ed8bd5e","/app/assets/first-CWH-vwTH.js":"04d83cb0379b5a759db2dfca6982df7a7b1fe3d80198397a22d1b87e833d5d74","/app/assets/first-M6YIfKrE.css":"82a16f0005057a42504e914cbd02eb4f3886c7f59a0822b031637164239b699e","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-BHbSKIOl.js":"3af2939901e841bad7d86407f7a841ca87133754f5b4fef9a0464f515461567b","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-D4NVj040.js":"680fdc2303797ba9474da9b5b0b16e4bbfcbe7a0d345514474781a9f52b2a473","/app/assets/projects-BrkM9QG6.js":"e253abde8cefa6a8869fbea3840f100a2db70bb2259e6c8e758e8f68f2e11550","/app/assets/read_worker-9gXU1I7A.js":"b2c00da4193f5657062f38ef93fd46e3f02f3b1a83579283c5b0b58c924dd750","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DeOSBDlt.js":"ce956c89ef02f4c64ebf6dda860ae478fb94c2048b4df32664eb9578f82de700","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-1oQXI-Bj.js":"d6481d7a7ed62141713b6ae1c748c9b1e50947ddf0e98460c074c374e60c1f3b","/app/assets/useRest-BmgEnFaO.js":"33fcd2ace4d65d34e306b2b77cd9761aa2f0121c6cd3c59c93c2f1899119ad12","/app/assets/useTaskActions-BaJS07jb.js":"b588d763e19834bdbe87ced5e531ba73bc9fc65d50ae05f35835cb6d2d53c089","/app/assets/useWidth-C2RZdHrk.js":"92d2a69f8cdd6cbd00308a3f9f195f21830c7932adbad8f5ab825410d1a6cdf3","/app/assets/worker-C9R-jvZ4.js":"7856958963592fadbc94244446975525dd2ca1854430335b29eb25e947b8a8a5","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"79457b9c97db911a11755849dd955a8c1cd02e42e0423298c58cb79a63e616ed","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
