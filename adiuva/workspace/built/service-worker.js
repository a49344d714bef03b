// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "9f1771b55629c04a";
const FILES = {"/app/assets/Cards-C1t21nzv.js":"687788beadbd0b6eca5ce9697200400a4b7c52f1186b8c977ddd91b648b0b9f5","/app/assets/CheckpointDialog-DuI2ZP6h.js":"00c43e83771caac61da8a4974e69b56ef2f1005e89e0127b19c8648533c3809d","/app/assets/ChoiceList-D7dUmvCR.js":"b2a71b2d6f82ee782028511b01a3ecb72bbdf02aa74513fbe8ca49d07d58192b","/app/assets/CommandPalette-O4KdVI8W.js":"1b18a9ac66d33414db2f882f2bfbb3fbcff0c1c24c28ee422a1c7e17bfad01d7","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-OJpwbJVz.js":"aae3b78784cadc32a78cd794b4db8b1d4a58d221a960827e88b96b2d5c8ac4c8","/app/assets/DialogActions-Bzsw9zn0.js":"40b4f007bf1975e61219f2f8ca40335c1a210840bec831186b7bd4ff94d8312f","/app/assets/Drawing-Ci9ygkLh.js":"ddf26632a13910ef7e0b8fa88d8445c43d1ecead65fe926cce50343bd80ebf57","/app/assets/EmptyState-Cm0BXZd1.js":"9343cdb3d1dd85c83ddb5f9ab589338971bca39aff2b82b6419681cd0340d9e6","/app/assets/GanttStrip-DEGeR4B6.js":"6863e33936e0bd35a675fd0a64dbc57fcbe9a17f38d12393f24cb1c8b6003777","/app/assets/HeadingInput-V-DFyEVv.js":"16807fbc589a69f1a6401d918d5d7a3752344b497644ab1a7f0384e37b07f3a7","/app/assets/Highlighted-BEqK9WcB.js":"2c346de1f9869a3389c4a15b12baee723925658297ddab2d1c26b9b36d6a1ebf","/app/assets/HistoryPage-pnTHZ7O2.js":"00a48b7787e04de34e1f56bbf3e68079b50962734140aa48f1f611aa5acaf08c","/app/assets/KeyHelp-CX43g3lv.js":"a3c2fd1aade6453d0e9392f475aeb8ba1283626defafa11c454c8fd6477b2015","/app/assets/LongList-BBV65UV0.js":"99afd4be784f3be932e7ab126845843a2024971e05fdb755a31f289fd654de38","/app/assets/MarkdownEditor-CLfHn9Zu.js":"4e635236c2bacee5cb8a222abfea079b11b50ac1b705c02ef9871b5c325073db","/app/assets/MomentFields-BIIIWfaK.js":"e902123cfff30e361991ab2cb4a03b87482eb47f7454c9c817b9ff169ea77e18","/app/assets/NoteCards-LHMqQG5R.js":"7eb81ed5c2403fd422213fc07d541a869669aab2656e808a10ace61497e113da","/app/assets/NotePage-DZx6bkIl.js":"017c3cb8735a5d4a8780fe19167e628b59da452d8d89a9df6676f5412d1b020d","/app/assets/NotesPage-BEVDFq4o.js":"2c945e3d5c098f7483b2417f41d6c4a2c3960f1ac46abec7e2676d424687b9b4","/app/assets/ProjectPage-xCFJsRgL.js":"84220d6637daa949dfe5d2ef18ee5499086c96caade4c3b7898e1d0385b6430a","/app/assets/ProjectSelect-Cjh3kkUb.js":"83bb52b9784e91298fc6382131ca3e5f84387ad40d4e151b5b8edfccc90c68fb","/app/assets/ProjectsPage-KSQD_Rfl.js":"55a81f7c14f7a5119f8e975d524213d6f24d34e8650ed4de53eecf207bda8755","/app/assets/Rendered-BtWlJ8Nr.js":"1667e19251e9eea1f1f0952dfbf6949ff3fe10a197571f3bfb70e0242b821213","/app/assets/SettingsPage-DUvrnSoa.js":"5184140847a114ed53e61b4327ed295b416dd86873eac86684ccd6a73a7d7d4f","/app/assets/TaskBoard-BymtRjZp.js":"05cd3646124f08210bdb53be683dabb2f0a649bd28861e390977a8e712947ca2","/app/assets/TasksPage-CRditdS-.js":"cea0edbfcc9b49f16def37ee92973ccc898e65e83a6ee504f0e23d4dad1fa4fb","/app/assets/TimelineBlock-jnnxLlti.js":"3b86a2747c14d4960e3b311b894e6c54bbfde2f414cc2ea785d7b7f9de7c29c8","/app/assets/TimelinePage-BF5sBKQY.js":"9b44b436131864a3553884ea0cc93f1bbb550a1c12451d20024b8c0eae8eec4e","/app/assets/automatic-BUjCzrGX.js":"cca9bd6de647498a5f814070609085ea199f16bb656f9954af816f564c2d49fb","/app/assets/automatic-Dhlo8S1B.js":"748d8a30154b91c76862dc6cae1a16eff2d398bb4676ff80036d42b0d2fcf96f","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CK0bu_yY.js":"f4ab69c0fdee67ed6beb8714e773029c274df07f253a0d3b7f854424f98b94c8","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DiXJ03Zj.js":"6943338ec85b97edd6908034b87bb94f339034d547f42fda92bcbfa909a9a4d6","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-B6QCRdER.css":"2bb75eb0e368200ffa0dd02186e05a589f14d88065279fec617989530fa611ad","/app/assets/first-BL6laa45.js":"4df4757e3477daa20403b9df8d5c9a1b9415dbc40d8a8bddc98e547f09b52cdf","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-BHl9NnLz.js":"b9a676ca89f1cb79d1948be5ccc4844a374933e08b15f9538a3092c2b74d5163","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-a7NFqc6p.js":"1916078c96b60b4b9ffa8124b7d9714985751689cad6611b47acdaa91eb65b9a","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-jSfhWVz2.js":"e0ccbf0d4009ff9948bb5115aa858ec65555b7b918497f044ce51cf3a76f976f","/app/assets/useRest-C83piEyA.js":"b8da7ecf6bf96eac1852480ece3e28bfb33806f87b03a504f0831eefad95c717","/app/assets/useTaskActions-DJZGU9lq.js":"3eeacf6e6739e3c5d7b8960e627f418e627895929117718b0679d9f16b11b3d2","/app/assets/useWidth-BuOgDhxi.js":"8d68f551335a10220c7825dec750de5ad51be8945cddaf990bf8bb7d6b12b218","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"eebdea110d66ee9337037122fb06e22518d978734abda3391c62537098bd723b","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
