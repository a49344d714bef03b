// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "8e9912036ca85fe5";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-DOhwIn66.js":"285de0b0c986a5a6e183a704f3f79b857f1b43f0fb2367c053f698806ed65c12","/app/assets/CheckpointDialog-OUHdyJ1e.js":"80ff2a3915b66dec58028ecab434e29d49f9f92c3f941df3e0577661518ee8e9","/app/assets/ChoiceList-DJQuTlD3.js":"e0579c95c6305cc6f3a63bdd8ff77b21e1f98110eef3b31dcd0f734064babd8b","/app/assets/CommandPalette-DUqJsw-r.js":"4d966654d8798e72ac4ff117512e5b8e3495f61fc1c6f5641090dc959ebcfa46","/app/assets/DatePicker-CE0U35h9.js":"14ca1f47f51ece0524cc557a5128a946b1c020943b504876ebbb386d1000fad2","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-76-kYDP_.js":"031afafa213a9ea6ce0c2d8023a15733131b9e9a3a580286d10f19433aaeb5be","/app/assets/Drawing-BNqaXmSf.js":"dbdd95a6d3623a1bcd92e5656888362e77dcb8b0fd8b477b9419f11c859ff184","/app/assets/EmptyState-Dug0kb5A.js":"61ccddb7bf7768ada03e1c35c4ad5200738d4d9fa33be781bddbaf7705a7d048","/app/assets/GanttStrip-BCem7KiH.js":"27298c20c1144c81bd106aaab87f055a1c7afd3315ea6c2b8683e530dd576f62","/app/assets/HeadingInput-DXHkZu4A.js":"9f879a746b4c294a0546339c37d7e04eb66c33fbd73b71f2f81d090f80db6798","/app/assets/Highlighted-CMZ_KRMN.js":"8e66ce91c91fcb3882f467d2ee51a82bb44cdd07622d69c7cf3a7132af5801e0","/app/assets/HistoryPage-DRI6Hu44.js":"bca614d565ea2fd489590d7f7968d73f0ebc0d1a38d3778a1faaac34c4fa505b","/app/assets/KeyHelp-wguCDoLR.js":"016d534ebe6eb2f09498841ede0e2f6d00c34074d24cc9147c9e4766022bb47a","/app/assets/LongList-Bimvg9BR.js":"112c4d1f138e2305e8f2c5a41918ee0655c7baa1a95fd237bc85fafab20f8a38","/app/assets/MarkdownEditor-B4Lp2I2p.js":"cd5e57f6b2ea9e52907c8be552054ef2ef18f90ecef405ce51c1d1c5b89c3729","/app/assets/MomentFields-NcAnK5SU.js":"fb858efa972d84e8689e683c0d15cb0cd1a5febe4ac7a22294ac14b6b639d527","/app/assets/NoteCards-CLxfT9_B.js":"15af676463f02d725c9c903c325fa530e922ab5d6884def64191ffcaecfb5077","/app/assets/NotePage-B0jGsT-g.js":"df6bad7e576018ea6df91c051aa2f7db8f341604f8f303c4ea3d9b7271fde303","/app/assets/NotesPage-DF__bwSe.js":"baa3bd040f9ba714ff5d9f5b0b9ecfd07c58f7f2466a22073af188fe89c4a4cd","/app/assets/ProjectPage-ZxH7ixM8.js":"2f7d0df0efa41726651bf759cfde79d13da451d6dede29081ffe50d74f1644b2","/app/assets/ProjectSelect-CKgwRhcs.js":"084178b489fa9ac6da657b2dc3db518e6a8351f238ea6b21f2ac2bce07add889","/app/assets/ProjectsPage-Cnzc9SVj.js":"2016efdf6e355eaa0614fdac0c4e356ef431b2227dcd381714c64421f00ba92d","/app/assets/Rendered-DIsLyFs8.js":"9eef6120b2f8aaa9fe968a8c2428e40591ac113a4f0681aa0bd022558d5d2421","/app/assets/SettingsPage-DARbN8_8.js":"171a5f3dbefc467bdfe19835bdb3a3b1daa27af7fefd6d3136e2d0ed93329ab5","/app/assets/TaskBoard-CliG5ZVy.js":"2d4474cab23d42ab8b41dfbaab20520f335145ff6d158bb602bf0fc746d1a285","/app/assets/TasksPage-CsrnknbY.js":"0aa4658ba5c91a9485d00441aa86b718ec388b6a86bd740f441893e7128f1a56","/app/assets/TimelineBlock-BiUDaQBk.js":"db5ed898b9384036085911b053c47ace41719ea402ffa62c97fb49817f1f0730","/app/assets/TimelinePage-DuyULkbT.js":"151cb8f79d8ad467ce84cf0b438aed14e3d736285cdb23aa0d5817d7a7fcedb7","/app/assets/automatic-CzdK26Cg.js":"4d541eedd9f5ecfc56d473085f66d20960896ce318cf352e6d8a14915d2bab97","/app/assets/automatic-dqB8B61Q.js":"90d2f73c5f6c9c062ad70e97f2b50974554aae03b71bd0ac8a61df5a1cfe8309","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Cx5XtGoM.js":"82b0cb55c92010f3ffe7fbe5950d1306376c05677ad08a57e4f919ab22d294e0","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-D371W6V4.js":"9bd07c6357d0722661b0217b7b0d436387008f21083ff07594a7cb5537d5d1d9","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/first-DuRpBCwr.js":"cd1468450a70656a4b7a785482be6c5ab92bdaa89fb15ea6e188e2648409298f","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-CcuO4Qeo.js":"58959a2e05e44ebf6030395e4e1f3dff5413e812c8b4cb22060c10ed1a86d0ff","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates--IpxiBMn.js":"4d0584edd43a2820a94ea0533c4e1d56b2a2f6bcfe96f5c31d3f0c07bf1c7c35","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BhwzonaR.js":"0c68e491868b6f091842aafa8791e36c696dbd4bc8719836431c298d73e88d38","/app/assets/useRest-auNLZ1py.js":"bc1936f0d076dd083c7a7a261b51960b7189b49a4164f5edf6534f899878a6b6","/app/assets/useTaskActions-iJ8ebhpS.js":"fb026e4648522160f4ad07e8b2b2ed3523c41c4a6c9a3850a9bc9dd5c17f3912","/app/assets/useWidth-lC1y1RzJ.js":"2387964f3b95cde9e30a3476b7766932577c681dac02b34d87f7a284159e6f58","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"8466c4db55b14a2fa63a2a18b00f94ac6b1b8c1ad7f2372e63b4078d35bd37e4","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
