// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "f60db8928337ce2c";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-CT8pCvss.js":"c96e0556c56ca4cb57db695af0518385246e917dfa9b7001794b6ce7883cebf4","/app/assets/CheckpointDialog-CtkGUCGj.js":"7311214d6ea1310ec563191ff6ef7cdb28af4e032522ac5389c4b0fac602c4f8","/app/assets/ChoiceList-ZUuxTVWg.js":"418df827b4f57fce86442faa739daf622d29e6a1ce7df0ea23a7c1cc2c5f7a8b","/app/assets/CommandPalette-BxVekPeK.js":"84e3eaa5ff0eb43aa5050a4fa09d0beb044bf416a70221ee2d5e96b7f4e2e6ee","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CyZmYKp3.js":"63cd534b39e03134aaa5f14be5dd9b8afb5a4b668d60be74d1abf2836b1e0b03","/app/assets/DialogActions-CZBlgMHV.js":"0390ba45b76e46cb7f6df7efc89eba5f4e18af31da980c02467b528dc383203f","/app/assets/Drawing-rNJXAk-Y.js":"53cdc66478232e9f077ff27e068816a1f9d5b9390010e1087e2273f7c830a816","/app/assets/EmptyState-CjO1vM1Q.js":"8aa35d1d38f4ed5d568a54da3f5196266652c4ac63c0661156a90a0819bc1ec0","/app/assets/GanttStrip-DlYnmAK8.js":"f5b6bbf4e2ad6a188bff86894c7ded69f7da0f32fe5055109c864f8b927152b7","/app/assets/HeadingInput-Dy0qMyjT.js":"449b796b66d485f3fab17724e7584b045850d72a50feb3889b2ec107d8b86e58","/app/assets/Highlighted-C9V90Zgq.js":"60a958b2af345e41fa0cf8acfaee4570156fc4d6664000570ddc496e866514aa","/app/assets/HistoryPage-DhFCweCK.js":"d5b8ae043d7585728df57fd370dec952fab2617c46f2f4ba212ea38d03883fc8","/app/assets/KeyHelp-C7hVKxlK.js":"56347c858f73c3591d45ae505c8d773fbed3ab671a8baa9c53d29091721b7a17","/app/assets/LongList-697JE6hg.js":"f2adbb2a497980263cfdec9009cbcf4fff028be68460a2513945137d1e8f1ae6","/app/assets/MarkdownEditor-BCrHpzug.js":"6b7c450e3f7c215f50358a8358d7905b1dc2216c5c0cadb00dd8bf83701056d0","/app/assets/MomentFields-DnDZryxR.js":"77a391b7d6bae32d849b17892ea0bb3fe8ffe43e4795639fad0303256c5135a1","/app/assets/NoteCards-BOso9ZWn.js":"7fe03487675869464dae17dfbf671607e729114310bce688ee7aff04d89dd904","/app/assets/NotePage-Q3MKoRf9.js":"f41ce015f8cf2e66ddce3d8217c4619925e6f84d6a23ec09e610eb0df49feeb9","/app/assets/NotesPage-BuqarqJF.js":"f3dd0dc1682567db65b77c0ba0c7a7a6b9dee941cb8ae45ae1b528885049a191","/app/assets/ProjectPage-BR8Kr_6s.js":"6a84f68abf500231e3befc788a99c22afadd4ed1b8975fc49ddcee550949f9f0","/app/assets/ProjectSelect-CIpDEI91.js":"a370e64ac58f62f2501f08be0f4cebf8db89fdee53bcf0124f7a21aecf2aeaaa","/app/assets/ProjectsPage-BwxDTBZb.js":"f609bfede9b389c47c27c3c81a8bbd9092d3b76a085ce2929a9e178e2ce61346","/app/assets/Rendered-CP-3MDWd.js":"33c5925f97aa012915ef3c5d3d0a925bf0450d84a7a7ecadfd9b6d32be092988","/app/assets/SettingsPage-Ba1iMgAl.js":"c55ba3962a10575930c970a0ee7062ffbddf05e15d04545327c989d610b158c3","/app/assets/TaskBoard-BwDhOgRP.js":"4fc999a6e0fe0fdaf088368032d41d6515f6a5f64b7f942565fa5971c80b97db","/app/assets/TasksPage-D9iJcnvp.js":"4cbf15ccb6c568659cb83285771925d4d65ae1cf6c6a283dccd4893612abd2b0","/app/assets/TimelineBlock-Z-VQn6zd.js":"c0f97aa29d313cec407924d4dae1f4b70c50843f93be1cffc3989b78a54f13f2","/app/assets/TimelinePage-DnV48b1q.js":"a580e78b23b0c6c1452430aadd67a04ca7a5656aae3935b65c2b6357a1298fa1","/app/assets/automatic-QjxskogG.js":"180b307df888aa85b340e9c82cfc5f2256cf4e32a55245afa2b0eddbd9928e10","/app/assets/automatic-ymtWHYCo.js":"caa705fc95bd5e317929c8d9f9f66b025048a0945914b1c068ad5f11b394f09c","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CJDxj0k8.js":"a203b7c6b08a7b32813abe3933f80c0f80c6325f55d6dab4c88b33ed3d310508","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DpVokFVX.js":"5d6a026b93d7b3377a7dd88cd1e027e7c342f8a58a0b7cde73042a1a1af5a5b8","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-BQYF6s-a.css":"7da1639eeb96b783d46ac21853454075d7d0c17b4ef1b1ebd45040686aacbf2b","/app/assets/first-BRtY7Dbd.js":"eb331e4c759de00483b5a1169aa10bff26d2c8c0683c59d7b522e95b44facd41","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-2J1ChA3v.js":"2abf3858a625bb05ba0f59c5f1a1ae785017fa06a28b470b74d6e742da17d3ed","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DplHBUEK.js":"27f84343aba981663da209bc6ec21a73a87bf1c13ba535340c94e6fc9bbddd7b","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-DbzL2zDd.js":"0639ac7b93f370f9c9a753da2ceb98e183799f13a45d7c827deefccd2bce3365","/app/assets/useRest-Bic5BW7I.js":"93123ccdfbf3bad4fc85c147e002b1a14e551132433362fdc3e0d0ea90cbf4f9","/app/assets/useTaskActions-Dd-kfk-k.js":"fb4ac518c6a1548a12dbdbde4aab381c96f41f871ae6dae0b870be5cdbcccddd","/app/assets/useWidth-B-Cj0gUi.js":"aefe366992a0c8423128f58c2750122eea5df57f1c8ae2c35d50367c2d91312c","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"403d36395b1ad8c01a67a4444a6293f02ca968e52e311dd58f02c34c9d155726","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
