// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "daee8ca872dda886";
const FILES = {"/app/assets/Cards-BXQluxue.js":"48903623fda46cfd0581970288141ece46707c6bd23a12d135a2f68a2ed39219","/app/assets/CheckpointDialog-BPl4iZAe.js":"872cfa930e14fb5ae163529b83ddb0d28cb733258f6875fe4aa3e3e9cd3ee5b4","/app/assets/ChoiceList-D_G6HXaV.js":"ac6a0cc62a5998da236655045028488e67e5f49838e1520921cbf23ec659f833","/app/assets/CommandPalette-CLZytZW-.js":"c8708409394ccac35ad85cbce6afe37994d522bc53f5e078e66c7a8702f38417","/app/assets/DatePicker-CCi_R3aR.js":"ba7c4b47d67f5681788393880c74b0e1cd3a22e5b12cd0560821a817f4a5352a","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-CRA7jCCj.js":"047a469b5d86520aa8764a72ef2c26490fa2235c02b0c1221dcb87d32f5eb42b","/app/assets/Drawing-C4B4LVwy.js":"833488f5ac8bdf9e11406bc8a3d28b60f70769a717632dac694c9f3f2885c195","/app/assets/EmptyState-D-SLdx7W.js":"5bd17646fd9ca807107e343b04e722ea291d3f0d145369acd0aa48ceba96da20","/app/assets/GanttStrip-BHTkWnlr.js":"b8f407907c20b7a2622df6ab78c302c3071ff20bd6d912b303a91c082f1e22f8","/app/assets/HeadingInput-Bj4JiWpk.js":"626da858051abbc8af7ea9de341a9839bdcee994234a61d93ad0a2a51fd6edf9","/app/assets/Highlighted-MLcoNMxC.js":"5f2bc5b1553a89dfaacb350b867048c241e554649f14f984f79b7ef5dac1dae9","/app/assets/HistoryPage-DXGE4WJp.js":"e9f6fce4bc22ceee332f71731d7acc9772d08908996c6847f16a455f4e1adae1","/app/assets/KeyHelp-B6H9rmec.js":"02e40e6271449bc44e02c842c58efd2236e8f7c045fc40b4248a34f1e51380d2","/app/assets/LongList-BW1vNT1o.js":"f21ecded0cae9a959a3345063a40691986fe5c42f0131ea471f605c9a36aa4ff","/app/assets/MarkdownEditor-CwN3RQpG.js":"9acabbecb46db4380419a72d2f0b942a543f5190affebf6b21776a7bb1b62874","/app/assets/MomentFields-DyOP8rME.js":"da16068f6dd840fde2e3293e11d968b18f7f95cd10f37aae91394c4fb852473d","/app/assets/NoteCards-DrbuPG25.js":"d7a630165ad98a29744d93bd770e36dc38eac90663a66647ef3e3b83412be189","/app/assets/NotePage-xu7sjPPw.js":"61f37ef2f3ce710680ccdd7db1fd5916ff6f043940d0dd44016af5e5b41a307b","/app/assets/NotesPage-w2XUA8R3.js":"d5d866528a59e2da1901b0d58597758f5aa737812ffa5541f228c5f1e5c69960","/app/assets/ProjectPage-D5Fj_vdU.js":"1a4fba0025c1e7e20824462ee0de90b5395d35920dd728fae2ee91e4f0c79327","/app/assets/ProjectSelect-BEgUAl26.js":"ea3da89a1b307557cb0b41fce38acef6621fde4b18a30844272e0800528c2ead","/app/assets/ProjectsPage-ZThGws7i.js":"1362794ef435cd8f30688acf7a370435b50baa349456d61de66996e3dff57c4a","/app/assets/Rendered-BbHGb2VN.js":"a2bda5156db9ef13bdf9dc925ecfd069e4abb8c9d6efaab9316c723afb4548c7","/app/assets/SettingsPage-Cp4Y10ID.js":"f36c7d58810bbe2ae8622ffce3f424c01fc20ffc8fd61c56440068eb1352159b","/app/assets/TaskBoard-Ddv8Afzu.js":"5f3d4b29b92cbad69639df02b0a4698990eade568042433a11361ce7bee06458","/app/assets/TasksPage-D7wUEGWd.js":"a92da477ee1bd4e3124bea1ae0763bfda7dc6657014d82268f002c8f939bb41a","/app/assets/TimelineBlock-CwuYsTe8.js":"ac5bb6530ea193567f5e40c62f46610d0fe14f6fff8cfd2f31ce5fa7752368c8","/app/assets/TimelinePage-Cz-76qtT.js":"607395ebd5b75aa68ead41d410b099d582fd36657e6a9a83ef42d502369accca","/app/assets/automatic-2_EyIEuu.js":"1d157fc6543547c4f777db8d27a4c92c2c309a74bec97f2c912552cc555624f9","/app/assets/automatic-CVynIaR_.js":"f06a876a9216c7fc72df5d73b5bc01586e692a25b64d6b3137e5d6cfb15e0846","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DnpkVjda.js":"15ffa765606d48af293480a12c1e71945538f90ad3a21964c675d1d7fe317ed4","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/export-OrG4DKYW.js":"cf9cb6b597822cb140c3ead9c0eea57740eca8a6bc774b627f45837ee616a062","/app/assets/first-Bce9S5FU.js":"4e644c3ac20be068a6f42114587ba9ca1e8eeb073e118162efa37df0c07a5290","/app/assets/first-CJl0yWEO.css":"0ed413bb8361af6fc4c05e6d3b1862a69ac2ca5b634e88f12742f1731231eea3","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-BK9WyKcN.js":"0bcbd3ab71884877d50a771f7d4c3e3ab22d3458d717485b8af346c29b7e717f","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DtLl_fqt.js":"127d04cf391ab189f0cfa102b1a667e30c8e546daa65dcd22e6fdae5d837a9b1","/app/assets/projects-CCRcRYUL.js":"5da1af5cbe7c542ae6cbc689d7e20e52188f89d8955c6ddcf6984934979ecf11","/app/assets/read-kGEWcHJX.js":"b2d4ead91a94811f4164e4ef7771bd99168107cc3159a464287721fd09883ddd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-iCRT8YQa.js":"f00b7877d7e60645ce07e7ea33a135bf839e24e38d62ff0690635b4ee546d67b","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-Cs5N7cWr.js":"ec76672a631e0e40c820566d3e3592ec499b633b7ce825bdfb3599b644d365ca","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BBBMLR7m.js":"dd642d74cb62b87b917b698404ba5d1857627615e4b7dc4b3dd69fae3104ff0c","/app/assets/useRest-BelUP6Bk.js":"383ba125f39e1ed3a5bc34125bd5eadeba818c4b8888f4573b3700344815b178","/app/assets/useTaskActions-nOnYWfYd.js":"2980cc973a36ed0b6313ea74ab3fe7c7edd3578810c8ea2f197f8c4fd0fe2d67","/app/assets/useWidth-COpMHQ2H.js":"d8058d2a801a0ac77e003fb317fac7be714c88e91c55ada03bb53868212702e0","/app/assets/worker-C8TePJTh.js":"8a7d9b6eaae5bf27b00e9e6f04a0340cf96db80f38041af1b9045476b1400d20","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"d78db3bbbcc20988112d6803b2e35259dfd94b97b831c57b436674f11fe709f6","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
