// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "6d2f1e58c05f5444";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-BPOr1SFg.js":"31f740c2e6bda13ee4b43f66664256458e70251a5add7e3decc1210bb527e73e","/app/assets/CheckpointDialog-DrEEfnbz.js":"d0c2ad5170240f44e5ac7402c68fdf7fcf912e1aba7116efdc4e94b27c677910","/app/assets/ChoiceList-DcMd06N3.js":"31da12195beae2135646a01128c69ebf8baf2e346ea6e2c1d2169c1f92f320bf","/app/assets/CommandPalette-Cp_Tsydm.js":"36aae6894ccb1d36f0992973a828debf6eb7577f26ff1680f83914f9d53f9a24","/app/assets/DatePicker-Bg8SI65J.js":"f9393ea2ed4bcd2230f9403aa1411b9ed2a109c0d6fb5279491447cc05f1a8b8","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-UkCC-BjI.js":"f89956daafb0851c94d4ea9dc52b8ad147d3ca135f7ecd172f99013695fad1e5","/app/assets/Drawing-D00eFyP2.js":"a76a0b03c23168de8ff86c07531776c14935ae41664c23cdb39edad3a624dbfd","/app/assets/EmptyState-BP2ck3Ht.js":"1b6c508fe036934fc4357ffbff14faad4b8ea4c8b8368ebeb9f2ec7436f70106","/app/assets/GanttStrip-h1VjyZEI.js":"35e098316529e8e1b48f9103d3ab3ecb7a35d06a28ebfdffd409bca0102f7181","/app/assets/HeadingInput-16D9ywkl.js":"f224c0a039bfef717ca04b8c41feb5f619c5f18d71f4633f25ded2d3d557174f","/app/assets/Highlighted-jL2CzUHF.js":"cc230d3b876664d99991b6944b88b1c9e51ea33be29da7dc040a0838c87b5325","/app/assets/HistoryPage-CawsK__0.js":"26894d1ab839a61fea575f874459e8927017746d639aee10b6df5b7fe3c76f95","/app/assets/KeyHelp-B_ECWhk1.js":"0e2020feaf74634140a2029ed033adfb2dedf051fc639de8cc5c4953b26980aa","/app/assets/LongList-gcEqYOyT.js":"27c78729ece3d56009d32593babc2fe2742e205f026ce447295e091f39958335","/app/assets/MarkdownEditor-C9r9E1E1.js":"da40fd56d346f91d5e5302b690d92194fa66860cd214275dc05521ef35de3978","/app/assets/MomentFields-LpJxwa5m.js":"2b8a1fcaf557b9842a03961933fa598ce82b3ffb380eab7f8baf93081de82f67","/app/assets/NoteCards-Bnrf-MxG.js":"1aa229f1f64c736afb9dc8a9214e2852b0940677c232ba46056e45fd30097070","/app/assets/NotePage-Ce3O_gei.js":"fcbb5077caab4131877da57b6c803573d8768a4932ebe15e5e557dd6f350b7be","/app/assets/NotesPage-BOfdWVCf.js":"1fe76456ea687f25d52b615bbcd0235f00ffd741191a0afbc78a9d520746dda0","/app/assets/OutwardLink-Bbj8C0ut.js":"9b956278b62e11ed7deafd5fce61a3c14786395d1d495565d540ffaef7272fcc","/app/assets/ProjectPage-a683U8B5.js":"91968db40d06a3b139bfca7c18a2019579e1760265ab7bd128b5c42d6910c6b4","/app/assets/ProjectSelect-CF0H9Yrj.js":"454b6bbe94d3fb6a3112a79205421aaab3bea318617508d72dc19e408da869e7","/app/assets/ProjectsPage-sMzYIjsb.js":"85d832a7e568ed3d03de3a4a56430079d7535ac0ea374bc5e4f4338533145fd2","/app/assets/Rendered-8tHJCogT.js":"20260634f75268e7ffee016082b26a411f1d6439ab1e4970d9d68b323ad7bf5e","/app/assets/SettingsPage-8pUwrPoh.js":"d688f9c224fcdfa7a994f1352037441a86b89a7376bc946b82d9bbb29440eed4","/app/assets/TaskBoard-DJSyUcyb.js":"485eadb7ed930c96d7a32f8f4be5fb176fa6ed534d1d8e22f3cb5009a48537f3","/app/assets/TasksPage-C1nKQdDK.js":"46daa10d26892f58cb979d89ea19177a7d27dd32ab0f8dea56d6d08bc58ce946","/app/assets/TimelineBlock-Dp549aIi.js":"b8953fa0ce3d64a139136fb0e34b6ae0f86b2389828b9651e81379ec2822ad53","/app/assets/TimelinePage-5ZJCJJR-.js":"8eebc40354fbe916665c9633557526cc7b0edd5fcc34779aa2d325fd80c58e25","/app/assets/automatic-D0bYs4Ni.js":"e48d67ff4f73585eea880da783416f5d3dc97db2bd8ad6162c4b181281532089","/app/assets/automatic-D9q4X2jK.js":"56b2405b70733b0525b24fd9d1c47315fcd2ba3e66e5b5dbe383c770c28ebeb2","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Cqlc5vXD.js":"075b2dd6e6799f08efa4f78ed045719d5c077e5291165e725a232e2598bfe5b5","/app/assets/copies-BmrkQrCK.js":"a5a645206405783e1ec4382cab727dc6e438fd5c358693b65cbb3a7751bd69c4","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-8-EIQxhm.js":"5000948f475f3437bcbbeff71e0315e8f36a0c9ae92399ba42bea5d712e93b1e","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BYweCfXx.js":"415c5573baa7bc4b4d11ff48d13d29c367cb3e4b55a6cff030d0168028aa9124","/app/assets/first-DTKTTvc8.js":"6f79c303426350278fa052568a7f8ff9300fe2e6f1a4b52450e3e534c5ada135","/app/assets/first-M6YIfKrE.css":"82a16f0005057a42504e914cbd02eb4f3886c7f59a0822b031637164239b699e","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-BHbSKIOl.js":"3af2939901e841bad7d86407f7a841ca87133754f5b4fef9a0464f515461567b","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BR78N2Kw.js":"9f770f3ab5e4ac04ee6f48592f8b301c56bca96e529b24baba61016cc2274fb4","/app/assets/projects-B36BN4BG.js":"626f036a39c0f05fc9d01fc5fb76af4239207a85ef5d1dcde3a31065852c4a92","/app/assets/read_worker-9gXU1I7A.js":"b2c00da4193f5657062f38ef93fd46e3f02f3b1a83579283c5b0b58c924dd750","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-kvT0wSJ2.js":"b25be7aa4471e8e58c594dd2c9c2287bdb3bcf3f97ca0779600f66f4223fed68","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-B8ORaZSi.js":"9cf3779cabbf4ff9380cae8ac771c094c2721b89fae6d56441401a0098356e35","/app/assets/useRest-B_9xKyxn.js":"fc192822c5ea3fe676a100f570e7a459a45d9c70bbd6d3a82c43e3a276357078","/app/assets/useTaskActions-Cn52ijbg.js":"2259c6c755d2b79a0f0bf214e0bff070092e1bac038775d98b8f67e00121b6cc","/app/assets/useWidth-CyKFwDWg.js":"ce29771f3bd162f738cc70f9ee30febc0e7fdf54cae9bc928dcaef46bfa5a5db","/app/assets/worker-D3psDhCx.js":"48a621e73b23c5075f003214fd1dd36bc7615c79d5b3b48dc2bbb425ea8f6a0a","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"23c95de9ae4ac6fa79e9014769034121906ce9b6951fd6c4916bafed6448a144","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
