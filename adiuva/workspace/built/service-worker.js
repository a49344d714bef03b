// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "2dc63f4d995666c0";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-Dwn8UyiD.js":"77d6ca61df03178e864f680d8bbd25455a06ce47d523dffc0ab40505fb6f3873","/app/assets/CheckpointDialog-DI7a0wCg.js":"0c1757125f8d089f0eb5ffb626a0ac3715996169f1e0ce172fae2f8eb090743f","/app/assets/ChoiceList-D_sbYeN5.js":"cecf2f561ed0b3f7cd622caf5c578335fc41f7c9605b5c865c7c90eece15d3c1","/app/assets/CommandPalette-D1fxyrFp.js":"308a4f562849d4e9ee54c447b52a8a6b5bed1ca2aa15cfc724e8eb4b302b945d","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-Cil2ZEsx.js":"8bc329e0e41d93e9abf57a9a8f1ce5841bd2b8aca1fad5f5f8df6f1d1892baa0","/app/assets/DialogActions-BqYN4C0O.js":"ea9582a0df0fdfe673282ad73af8a2377dfc2b44b45ccfeeca557834671b5dd0","/app/assets/Drawing-B20EcDm_.js":"6310a8f54d10632dd6c9285aaa3992cf37bdf387bb9c1b996fb6fbf57efaf807","/app/assets/EmptyState-DPnKWpP9.js":"7db41398619651df68e4727ad552a2a7811999fac66b7eaf3f13b66f7f612da6","/app/assets/GanttStrip-DEGSxXMI.js":"9a74c61ea13246b4ec9101acfa19b05dfad2f8c1e89262024f0220722c0098a3","/app/assets/HeadingInput-BzkHlKMS.js":"980983c3067277cd39dbd56f69bade33db2ac7b86ed67e7aa95feb23128ed727","/app/assets/Highlighted-CQMA4ZUW.js":"d29ddf93e0956090f84f58333706304f09042272124538aaff095be196afb9b2","/app/assets/HistoryPage-ClS7TIM1.js":"3e0f766b11d571913db67986f921c51c9b3378fb723ad6e9638af34aa7830112","/app/assets/KeyHelp-nv3GOMff.js":"459db411b01c84f1aa681fcc7be87945e92ca4e4fb47cf329728983eb0faeeac","/app/assets/LongList-CHe72rqV.js":"ba8b53985bb4c98790dc1892ed3d6cfee2918ea4083d5171f2f8de8730b9e5ed","/app/assets/MarkdownEditor-COclXD31.js":"bd7b0e2c044bcd4725d4f31ef8dee6b3bf9fdcd287d8fb264aab940cebd9e61c","/app/assets/MomentFields-kPWh-WPW.js":"908f44a07dad2c21afec9015b07678bd560c19077133decc9f1031fb61f550f8","/app/assets/NoteCards-haXbeHA4.js":"5a573371b81ee86d7f18bb71686f65c55536c7b4b304dc5f8473cd52d5203277","/app/assets/NotePage-DAaFTIoj.js":"7f2d88ee0456091851dbc9b5247bc71c1addbacb7c600f6ada8246a522fba103","/app/assets/NotesPage-BuYOLaRK.js":"a8081024b65ac8387f32a5a7f01c9b6a0aa2737c406d1b50007bf2da21820e8f","/app/assets/ProjectPage-459E4fB8.js":"c605d361cd985fea02ef72635a6edf0e99572844032def2ff7307a13c443d281","/app/assets/ProjectSelect-m2TTUgTC.js":"ff19022ba000b770cde778aed5ef290fd5c2dc301aca4f2a2f63be984c65c17d","/app/assets/ProjectsPage-CB64XVID.js":"9eec1e8bdc010b59344e2c50c30c79a6f5d307c77d71f6bd452e1bec18b15d9e","/app/assets/Rendered-C_pZ3eNC.js":"89c493beebad01271782bfd4039bb555f8e5d30b47ed322a3355e9bb583f146a","/app/assets/SettingsPage-WDNn5Abm.js":"bf972053a3bc31c24f8a6af76f9a19dd67696863fd492cb4129875955da7763b","/app/assets/TaskBoard-C-0zcVK3.js":"f3ffee6f15baf0bc4f21ddcfb44ab75e29a864fda6b45844efcb91c81ae860f9","/app/assets/TasksPage-Bb5kHTsp.js":"1c723aa5e47f48483005f93e53ac14b127ffc3fc960a9053731f8eea6a595957","/app/assets/TimelineBlock-BG2CPxGu.js":"9a9306a76672318bc81d4f754064485a45ff28d91f9ad97b479f1c121fe3bb95","/app/assets/TimelinePage-D1jg5p1O.js":"944e4f34000e4cb6f651e18a1d620c8bbe44ccac88f6a4c5ae83f9d7ddf6d6c9","/app/assets/automatic-8QqbqhWs.js":"16c820b5aea86b03a7ec73ec03e47554986f9199517cf758096e33e381245f43","/app/assets/automatic-CcuZgQQ2.js":"5d76158a0ab04b6573718950256aeda863f6b328646e82698fb999cb6bc76a40","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-2v_4IaTa.js":"6a6bcecd88122899ca2184e2fb3911f823be9198c6b4d8349c95a8b1f4ded575","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-Cuhe_4ez.js":"2710f2ef254b8f30248ff6626b875aba1bf1a3cefeab4381e3d4cd001bff09f8","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-BQYF6s-a.css":"7da1639eeb96b783d46ac21853454075d7d0c17b4ef1b1ebd45040686aacbf2b","/app/assets/first-BmiBiRPI.js":"a4ed1634a8c2ce35a1b8ef4d672eb4c397d931c30a7686a2522d2d3230d4aaf3","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-g5TlqTAc.js":"d29e77ebf675150dd899ec7a8ee28113f2697137064ef2c69d8c5dd337ee089a","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-CTEh_-Ys.js":"80915d635686d5dac7b40a0fddaab4dd5f6a094f39e38ef40c8c7fd1d1e1cf8a","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-DuCVj7Gs.js":"e9c4ae9763ff87895c71f04ae4fd50ba2146c79bf65c497a23da847fcb4a915b","/app/assets/useRest-Buwlcqns.js":"5aa722e2acd49debf48182dcf5b41f4d6cc32e27be4dd17b6fb3c462e858f5f2","/app/assets/useTaskActions-BR9i4XJS.js":"2a89e63771a258cea1ab595add30346857adab476f183031635e0f0b72ab7935","/app/assets/useWidth-BKYXct8N.js":"596735028c41ebd856e69710a7f0fd826bc0c34812c834b122758ce8c39e1d47","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"df9b90ff5ae36999d34b4bc813a644c38d48f93bf62c8c14cc90fa1ebda53963","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
