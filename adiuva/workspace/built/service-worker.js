// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "dd29603d40c8e53f";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-CXiTo3gY.js":"2b1e67db88f384e0678c8eb14fd0b2e4f7bf6309f23219ede1cc0f96b835e7a4","/app/assets/CheckpointDialog-DUhF9B5M.js":"b9aaa4e39c347a6663ca96d93e3a235756eb3950b1123007ec8473d8d43add50","/app/assets/ChoiceList-DiFcUAQ0.js":"f7a0c1e4cc435e5a22ac3a980e6e5f553b69cc47b0e49303c3fb991beb20444b","/app/assets/CommandPalette-DKWhcCqH.js":"eddac1ce0e51938558a39d5c07e24c689f6180735c5dc9f2060696566b5b7e2c","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CwQcIMS2.js":"4502ff3d9a02304176e6129e8e6333937a31014858bad3c87e1376afb4c2ed3e","/app/assets/DialogActions-BI3FyZOt.js":"521d7184109fefd3478e1db730a8c3ca016e86a4808664b36ac4f824ced42b9e","/app/assets/Drawing-BQy6nhfe.js":"69d34006e75f905736ab53a436476dcf308003c37aca56f24f1d9e8f9e745f06","/app/assets/EmptyState-Bj1a5kNM.js":"b32d6078cbbc4de1d74a554741a671156a3042c00dd4ec2dae4b16e5f247c8ea","/app/assets/GanttStrip-Cx0McRR7.js":"ef6e6473a97c64da385b48b0549abcd105f05eee788c3d55c34c18ee38452ec4","/app/assets/HeadingInput-DIsT_Igl.js":"723750dfd9ea6050353df391087bf4f48706ee4fe9dab356e4fd12bb1f0d2348","/app/assets/Highlighted-CfuHLf1C.js":"96d3929951dcd954e1f8c2a17fb18f1fe74f52b54d92d662bca7878b12b11e52","/app/assets/HistoryPage-CnaLo-Tz.js":"952099490eca0a91175f5d0811e78714885b4a479d9d2924582321b81f49555d","/app/assets/KeyHelp-HCK9Q7Hb.js":"0e116344f19d460b424c08def19d0cf08fa561fbb6720fd84c16089b1ba4071c","/app/assets/LongList-ChHmiPDK.js":"9ed7730515e04f27201382bbbbb12fb3d486183c8b03006e504b7e1dd8332806","/app/assets/MarkdownEditor-DfLYtJSL.js":"f82f2de6ee1e43125e39e5d78997f4e7440ba3b0f891d807b07e96c2cafd5c91","/app/assets/MomentFields-BajorJsq.js":"a322e2d4d2f5e5e1f1565680f5b16dddd6445cb034bfb42614a410f83a498c39","/app/assets/NoteCards-BWsJ78OM.js":"7a78341b777bf2f0bce3b9d0f822fb0994d0da732b61ba4a161717bebfb7c0b3","/app/assets/NotePage-CB_NHOpp.js":"6fcf675f2921ca532144ea92e51d28bf96dcb3899e57ef4a7942ad7ab9597ec0","/app/assets/NotesPage-DtgqXyKs.js":"837aac213e64fbccdf0e5134a8da527c2791d93bbd6aac6906499f0db56dc537","/app/assets/ProjectPage-OGwDMnCO.js":"c2a5b361bac506808b0b2b3639c6369ae67b52500962aa861a041275fd861cc9","/app/assets/ProjectSelect-X3bNlphB.js":"dc31fff686c71b79a54eedcb7e720bebd409104655f8fdf1b6934ac79d728e90","/app/assets/ProjectsPage-ptmkTafz.js":"92168506eb70ebd21b4275d783b7b762df78566c79c5b4a59d359abc39d755a6","/app/assets/Rendered-CBibRuc8.js":"d85c7568507ce0d451e9ffc207f91fdf72f39ca7d40938144f153e7b33b7e204","/app/assets/SettingsPage-BmFKvjsP.js":"2b7fd0cffb9f61890452bfea475816faa79bed6790f2c791e9dc6ed2843c5c91","/app/assets/TaskBoard-Jn6zL_k4.js":"84894339e0ce58622ce1485afd1df3eaf0f01b9ff6e83cdc5973527179f2ef11","/app/assets/TasksPage-Dg9lRc1u.js":"c516f3b5c8a39ace7ad3483edefaf35e3115acac0f8b20b77e3af164f09d5790","/app/assets/TimelineBlock-DnbPldll.js":"93a46dcb5fd76f5e220ba3f5dd21b047ef68f444f9ddc7df41a865fb0867c6fb","/app/assets/TimelinePage-lx9pbjkI.js":"eac218427bbb8597304542ee7c10aaea3cbaf15cd8c2374f9fc2d474d7157bae","/app/assets/automatic-C9NeOfeV.js":"885115badbe277a9398c975c736350d4832073e7c88620114d9e8f19f5511114","/app/assets/automatic-HGbm1IU8.js":"8efd3a780c6f5600989d6a673fd121b4c0b4936771ac5609e1e7a9582585fb51","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DXGRtufN.js":"19a98424ba31ce3ae8f546cbb74a6923db8344c0ecaf8a4ac58fababc360efee","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-Dpbu9HgI.js":"6d508eabc92de3ebe367f612712ea12bd2ba88f2cef8868d0791f0b9401a61a0","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-69rDQ2zD.js":"630c0fba9403d640fd6a1a90fa9903898f6b46ed086f8abf7e2ad5eedb7c0b70","/app/assets/first-BQYF6s-a.css":"7da1639eeb96b783d46ac21853454075d7d0c17b4ef1b1ebd45040686aacbf2b","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-BOqjXmCk.js":"4eb56670f89b92e87cbc8ff3b6ea03dfb0d2965366acdb80af95eaf11651076c","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-X-MyLxXi.js":"bd46ca74537cf0cc3ec40ee3f6e1033b1608a6844d4ae8dbfb0c5bc6f477d1c6","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-CfcG1FVp.js":"fdd39e86e4d8c9ec0bc906a2ed6292857137297d6a9e8d1f3eb29f650b6d2477","/app/assets/useRest-DQ4cd5bv.js":"ac2c61701dca249bcc6203cbf3702041eff141f31b720cfc9d0007b7c0851318","/app/assets/useTaskActions-CwFO3P8B.js":"f8c0e96f7244831a0938de5ff99520f67740e55181d36f1c72fdb6a9ac95b972","/app/assets/useWidth-BltElGwR.js":"e82504df19f440fd1a80f80a41e74f205895db8dca84aab0445eb5cd920d60d8","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"d7d2be05f8595fb0e2853d6da1b89ca3e21807dd104ef6ab8109f26627c1531b","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
