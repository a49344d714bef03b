// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "f1b7ad32a6537ed7";
const FILES = {"/app/assets/Cards-BIBFB7vc.js":"5a6d782b3959f358d38a1fd91817f5e246128ee724c39e138fd96ec79dc02d44","/app/assets/CheckpointDialog-D7x5dDSD.js":"9aca3d832381db25f65902ff38daa545c9bfbcbd84d590b2b101e38abab944b0","/app/assets/ChoiceList-scMFHRj2.js":"5ede6cdfef41a7e737fa4eab662b086d4cb4d6893c6fd79485145ad14c7a1c9d","/app/assets/CommandPalette-CNAEmmvl.js":"cb390aa872ad3eff0b8a9a69d25d90cdac2d27b564c1bb65091ed625f2b43a51","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-XGH-Dg-q.js":"46104d93979a4ef4f589f4856fcc3f9e82dffce1ccf05dfdf1351be163cf97a1","/app/assets/DialogActions-BSrPTo_9.js":"2cc9baf781d8d261545a9b474eae7ccca5fef3a90953ae267f78d3394a5ce961","/app/assets/Drawing-DcgbuDVB.js":"99667cd8c3385fbcbe2191d5cb9944e52b4c4c0f6d266f205bbc0b9362e5301f","/app/assets/EmptyState-Beayva_G.js":"013a5dada98e69b9d17f703a012a0cc8ceb7b87384f610290ce7982d4d758f53","/app/assets/GanttStrip-iYy5BrHr.js":"e57bc4305c1ca19ef1be99c1314fbae9d55718de187b47073eab03fc6ae8ca39","/app/assets/HeadingInput-xgwK4Hh0.js":"98b42d47884f0db201494e02cc6db4023693f3469636f181e1603e59eeb34f35","/app/assets/Highlighted-D8mc37Eb.js":"8a4918d1fed28971e748f6df0d7de10356b2b018513168435f0c1aec213d4f0a","/app/assets/HistoryPage-BgXm-qdF.js":"f455b1e5d6ebf210e46773ca298054b71d85c5fe592f09dd2a3c3702832f74aa","/app/assets/KeyHelp-fV1StA1c.js":"d30d400a024f26f5cd425ed9304848fa8527ac5e2ae43c41e0f960100214b055","/app/assets/LongList-DkDPIekD.js":"3e16fbd912131219b289f487f4f5dfc28e29bfc96fb9f25602594a9917f15da9","/app/assets/MarkdownEditor-DbRcRN11.js":"1e9af54887d077a20b9236dc4029a0abe6e14f6eaf24d8e4c7fd7b1319c89766","/app/assets/MomentFields-OOso6Q1r.js":"38b7a202c9a283137efe189032340263137de9d2c5a8d83b9003ef304e106308","/app/assets/NoteCards-BfE6j5bp.js":"e74e48afdf6d4915547348e99365a9cf00fd749f8f07c6b6ab87a3934c6a2347","/app/assets/NotePage-CEg3qN9G.js":"48b4e529e930eb958a9d4cae2a15611630514722f503a1c2c0e070d02a1c1f14","/app/assets/NotesPage-BlQS5W-D.js":"f137f45421821ed59ae9eade7cc6c4515f2236566d19fb9dd7a74623f93c9e52","/app/assets/ProjectPage-fvDRHnJa.js":"2a0fdb956c5ee94133006d36943d92760443a5a4be97cd7c7cbae5f8e1675b4f","/app/assets/ProjectSelect-zc_YAG4v.js":"237c22ddb45679500d24c49c780fdecb19394ea43202fa49d88e9f6dd96e084d","/app/assets/ProjectsPage-CdhKSp5I.js":"647c24a0748e84b1073208a0f6a61bcbc06898785ce023c97b9e8a4f25145e3d","/app/assets/Rendered-CgQlRtTz.js":"d078a8b2cbaca3e5d006b7ba491928f7e2d23b5071dbf147b369645c250db6d6","/app/assets/SettingsPage-qMgctzcy.js":"e5446661fb7e8a41ffd008026b218a8929a932e4c9f81290ffbafde9e96d1835","/app/assets/TaskBoard-D8lPXSer.js":"2bf8fdc58802a32a1f76fb974fe459978f8d5dcaf1b5bc96731ce7984b209879","/app/assets/TasksPage-C4AAuhjn.js":"54209a7fd990932f8cb7b44297323ccc9b6c07931c0490fb5551ed6081725e5c","/app/assets/TimelineBlock-DIQxuOFT.js":"c936c9e449aea73a19fe407ff152530c243e8293ef8193ed88debaf60191c135","/app/assets/TimelinePage-JdAAV5Wk.js":"447219473528ed3231aa7bda5d9daa236f748e9e9967b5770a6ecf2d7899a5be","/app/assets/automatic-B2rgUVnz.js":"1f3270cb7b454b5b293f759a8385bccb3969e66527ed34478b5274297dd98c28","/app/assets/automatic-CIQxWenC.js":"2085167c4259fdae178b5bed6756a17e10bc20a3716d00aad6f759d7be84ab34","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-BtZNBfOD.js":"0dd882511d857af84417ad5c2c8e3cc12a4b3938c18685bad3be8768e7ada3b2","/app/assets/copies-CqjcCnO5.js":"5ac00eda123841017ad8eb0fee7ae2a65ffeba28eabcd9013dbab750dde58ce9","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-BZmw2jDF.js":"2ed0c795a332a4784155bac06e68c2b6caecb4aeb86f5caaeefbd467aeb94eed","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BJhTntNU.js":"a27dc6dd87fa7e65653b227b085f40c2a26b4bba5b36d9a23c7d9fe3ce0773b5","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-kUFW3m9b.js":"ecc761f0143912cdf5611041a7c96343da327393becc7e3391d8c5ff55202b2c","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-Cbd2bNiZ.js":"31bcdfe624fd3b9b215abfe712a3a47b1613aed8cc35734f77e2f5d3d071ea6d","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DpZh21Zj.js":"b6c2ae1d8148d0bece6fa8cb84862fd4a91ec43d61d2cd39a60a6739a933dda6","/app/assets/projects-DNnfWBz4.js":"22167d78969b37157d171f54963f8f2a2d6f814e38f075214078ed620c810517","/app/assets/read-By802422.js":"f333a725b17954eba2f775206e96a0536263e6ab54921493023746b6ce510491","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Dx5KvFl_.js":"896bfeea3705bcc1f999003b44a47fe5c5cb7d80900e7767fc220b7a6ee4b523","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CGvrYowZ.js":"2897bf9c269e910320d9257da386e3d2681a87e41f8dc877fc340ba13e42455a","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-j9HQX5AE.js":"37a69fca84b0111c604e95ec844f2659782a10e0e0fedf894197e9c79b91d2f7","/app/assets/useRest-BkMUhOfx.js":"86ad6b82a6fe085c3024b18bcd726c30b64f243302ab0053650ec50b49413065","/app/assets/useTaskActions-BV4hkdNZ.js":"0893b5fbfeb5aad4f2cf72d0de575e74b42689708c0a4c08942088564d8065ac","/app/assets/useWidth-BZbw10pM.js":"74545e91a48ae3a29656a0fd10bd901d15746f753669c22654db7805c3791b72","/app/assets/worker-BK_5lKsD.js":"56d8b38b0a2dacfd068fa328a51f2a0ddbf4c32380b58ebe07270431228ab491","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"c2f6b703a2500c1b922f9ab53e288ae083efdf2554dc6a96f9fd30896c765ed7","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
