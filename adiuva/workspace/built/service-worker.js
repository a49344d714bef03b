// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "c0915773b9c83eeb";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-P2sXsaIs.js":"be1c604b14124876590a3e500fd1a2cf5ebdbdb3263f28bb27168609a6c37bf8","/app/assets/CheckpointDialog-BYyBm0YS.js":"1066297b3f89c48e79bf0efc1fb437c400e1ee38c07188c472cf8ce5aef8e78a","/app/assets/ChoiceList-DF30uVME.js":"26fbfa2ec2cb7d3693d064a6163f53e62bd7662dbcbc06cde3e5730da98832c5","/app/assets/CommandPalette-QDPbE4fd.js":"74b59c2960f186f33ec9bce403f616e31b8af306901bea6a7dde2e866fcf84a4","/app/assets/DatePicker-3BVI7XOy.js":"fd66e255a5e423305e70c2e6f98f1a0b57e336cfb27fedcfb316abda194ee2f6","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-BnYAoCIH.js":"92da552220858a613f3603d3e8ec2ee73786fcefa970c00a6517365f0ec3402c","/app/assets/Drawing-CJDeNyO5.js":"b242da28e2d48ababd56fef9274e9ce137245db5779f29cf76072cd406325d37","/app/assets/EmptyState-DBMcraUx.js":"8613eff7b910f1ff84a749f48f6d34a59e3d362ec70166c1ee27ae5107371565","/app/assets/GanttStrip-BhzA4222.js":"121b17f538ba2c7c539f2e9817fc5d6bd64a89e5e6eb0451299822344a835b43","/app/assets/HeadingInput-dYI_l60A.js":"3029d771f3c2b4c457302d72d9a67582058360642f813c084c8b884cf7b10805","/app/assets/Highlighted-D20ILPNr.js":"2264f83d2649b5c4a1960dd1e6a16bd7d6bc0780977b3e3b9f0e758f32b1e924","/app/assets/HistoryPage-BU1A0mCU.js":"52a6861b487d6cca4fb4fef0fb3af29b53eeb0436f03bf0965faeac7d8e1942f","/app/assets/KeyHelp-Dv04CEX7.js":"25acc531fb32fbaa05c0c3a7d3c8e429efa00ea951d31fe643c28f35a9dce63f","/app/assets/LongList-B7GJiS3h.js":"e438642e7f0e166a1e474706d09248fa38317cec0600673afaa77a43bb049bf4","/app/assets/MarkdownEditor-Y7EtY_Ft.js":"1725db0bdf6fa7a54fc186e9cf534c07f33b66ac10f88a4e61a7c0514c474036","/app/assets/MomentFields-BOImqvx-.js":"4ef9ebd926eb02bedb7ff05d7c0c57ec15729835911de6d959a2818fa9eb9eb6","/app/assets/NoteCards-C-86VcY_.js":"4884dcf2bbd989c6225b2637a6b842b0e4ae64f07f7fd56307b140af6ae78123","/app/assets/NotePage-DlNMkZWA.js":"42d15d336e598a8966bb43c98fae915aef36fd1fcc56409048711e81df641de8","/app/assets/NotesPage-Guhx3Udu.js":"6f397b0b061336e8059797a5aca6905775c7c41725b7a45e40dc5155f5245913","/app/assets/OutwardLink-DGnNU33Q.js":"cf310bb76d2175fc8ddb91b630be5af94f3c702fd8a849c790c75b294ea05278","/app/assets/ProjectPage-Ct4-7grZ.js":"955c0db1c673041f8e11bc3a85f0606897b3d01b83a4fc686912e82373e60bc9","/app/assets/ProjectSelect-j7Mq-EuH.js":"f2b4a3cbbabdc6b0c65b65a8b3cd0e44b951bf562b629a630fb90162bccda1e0","/app/assets/ProjectsPage-CuFgxZBQ.js":"f3b01b506fbc78358311f65d86638989a5be3c4d3a37cba5b546ceed24eab7af","/app/assets/Rendered-BsLYbwfj.js":"b27c6c6e08d018696a545145e5f798e239b8d757d0d03e721dda40b464b260ab","/app/assets/SettingsPage-Ige7ATsN.js":"449085629f0da6f22cd03706c96fa4036506fdee66fe240399db6953f1a05b2c","/app/assets/TaskBoard-C9QAG5Pr.js":"6c023c68856d3c4954bf937af5bd520f1915dc02526ab8372ffb152d038ed0c4","/app/assets/TasksPage-DCjDvkfF.js":"2690a05d80bfe1d4668f392f5a102dde65ee54bcb4c1db2d792e1748369211ed","/app/assets/TimelineBlock-CYnWpsI0.js":"d9d7e8fc109cce13705f0108215a6bc5dce08c90ae1e3b21abf040af1dd77bf5","/app/assets/TimelinePage-D49MgsvV.js":"b41c635b309ff34cf433f9dfb1ca4ec3d911b173d8db7d07c9052c148c24048e","/app/assets/automatic-3DHCs0G3.js":"82dd91dc9075bc72d487e956408cdae42411e04841adced5ca0e2b61e2d97b08","/app/assets/automatic-pYCqg2U8.js":"22c9029055b3c329affece699cc6a43f09bc1f385b371f855125555690504718","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-D2SFyWgY.js":"9c6034ec0c0e2d5d76ff5e10544009e4cf4d0920c562ee4aa599ac0bf90246c2","/app/assets/copies-BTVLixJP.js":"4fc26a5bfa49ffb570cde13c811ff1a07ffc56dead7837f4dc6b4713c979e8c8","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-bhpN9OqV.js":"a7ee4bfe789eee4466b54bfe8c664e5219ad2151dad40c5e55e2d378f2120a2e","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Bb-Lz1uB.js":"08dda0568be49509a74f118d9abd04dd549be4b3b859ecc3800253c0aef8872b","/app/assets/first-DPFJLLIo.js":"889a340a1fa010faa50b37800913edc67b3bfe86fc55d0b0269c421363d1c18e","/app/assets/first-_0JUTRCZ.css":"a4409f9695cd318cd833a71867046e07a7ddd801440860b5d0383c2dcfa3a832","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-g6usKqyl.js":"a9f23d0799f0157be451bf1e25c0b47a139e97a9a3619580142590977c9faa67","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BSF5cD1z.js":"903030bd04f67ba379c8e757b786fa2f57d9d9437597364aafaaa5925a32f642","/app/assets/projects-DuXHNprm.js":"12d26f16ab094c718f44964edbe3e1c213dbaed0c2c82ecd36ef0379116e513a","/app/assets/read_worker-kf1thpkt.js":"22dc42f8297e06b255cda05efa4fa582d4973af04e10cf4663bfd961dafbdfc9","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DLFeH0L0.js":"fa491f344435a72dbb7792a2a826b83ce19159704d667278d07a0bf4a100fc52","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-LEWVQ86L.js":"7112d93ad5a5d21e063cfe94162b18eece6b655f6fb6ec92159ca8713bd68341","/app/assets/useRest-CI7Ebj5E.js":"234bfae48d3affc1e3f30ae5277c5baa9b9c6348d142fc9a7ee3b6ba545b18bc","/app/assets/useTaskActions-E88hdf60.js":"5dc3b73274a5e3fd9433cfe648e983293a201e83b1fc538cd1d64b0d69bb8ef7","/app/assets/useWidth-BjZDXiOE.js":"b7d855dbf390b612ec47b7e272d45f68e211f9cf5bd32d5ba3783bdc45492425","/app/assets/worker-CzKxuggc.js":"ce340e59b8a05b8bd50e27c8d97debbb14925d4b453acf1395fbe9e10bfa028a","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"6d9d555e010e205cb11bc9bfbc65f7d52821658e46fc672c8d2e0d8350d46b50","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
