// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "32dd348e61559569";
const FILES = {"/app/assets/Cards-DbZ3x7Ca.js":"c4ca0a560b9810ce8df89171ac682678d5706fea4b67dda30923bf79f6463e0e","/app/assets/CheckpointDialog-wZX9gh_9.js":"ea483f138df29c0d3135898e86ad9c53cee546854ce52810a980f5d5d4c51c3e","/app/assets/ChoiceList-PkzfT0N7.js":"17cc91c1b31895bee8818097f9e59a938e03b8cb93c6772ece0f043fcbb64e28","/app/assets/CommandPalette-B7yKtSpu.js":"8c0b17611c84496b53a5eea003a3285bddce7c455017cc5a55ce55999e38a5e3","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CrQbmyoB.js":"601242ae3bf5105f162eb3a39e5cfd3028d830d223c11896e242d7fb0f45093c","/app/assets/DialogActions-BC_SpA-y.js":"4942a731aeb85eb20fd7c7925a6c8eaf855f6e31c522469227e252eff5421573","/app/assets/Drawing-BrB6b7yz.js":"fd3f5128d1d2c90c2f2e5130adce22bf768bcb3f77286fbbb86e9b7012474c0e","/app/assets/EmptyState-BreUQHiF.js":"c82136c256ca3f3a2565390fb5737e8b10aee7a4498a85781da01302ee6a3a1c","/app/assets/GanttStrip-Cz4d1QJ7.js":"254844867c774dba83d1ce5900b49449c2731d845827c35890d8fb7b54a54207","/app/assets/HeadingInput-Dcj7ZTzJ.js":"4d905251bf9c251d1f563a41fbfb52e5234e0b28924b93ecffc07210d2bd9efb","/app/assets/Highlighted-DnkHll19.js":"a8f8871971f9343c284924dd7e92ff3bfc643c4bc3a114e0ece09ecdc5638427","/app/assets/HistoryPage-COKvGcap.js":"396bc1a14bbd70e759588efe88408b0b2e5bce9372b9287f2616f6042a8b3121","/app/assets/KeyHelp-D8ESL8CA.js":"9df4a15eb047f6dd49b1e7c4a48082bc938eb1213a9fd9bd71909999a97a2b5f","/app/assets/LongList-CfRxvEjG.js":"88265560b880e5b7dbeb3e4e79d6998583ed0177b7f7de74fa090d7c560413a5","/app/assets/MarkdownEditor-JzTT4ud3.js":"a6838620599cbd6e918016ea1a594d33a27c5c5f52f71bec348d5103471b81bf","/app/assets/MomentFields-aBi9idzj.js":"0652a83a6fb5a0a3b5551bd411b3d14b9c40b8129aff1343b1e4c094fe0f278d","/app/assets/NoteCards-CbhdhlJA.js":"f25da1c1110f3e48c963806640379320bebbef88fead8d0294e8b6641d3eaf63","/app/assets/NotePage-BEcscsC3.js":"6e85901b2e7b5a6ee09a2aff3855aea115277ae32a47fd29c11f62572ddc2e6d","/app/assets/NotesPage-Kk7j1bma.js":"0648d2f9ea9adf9368b0095e15296e964aa5458da9fd990709e4c3df5f565b3a","/app/assets/ProjectPage-BbfVMgeC.js":"af072f4b6933dc6b8d520aac4986a3f78960e74bff65b48689a54860de9cc7ba","/app/assets/ProjectSelect-vNgxUDUz.js":"65a25ad0071bb08120ee57fc10834d9527764e5ce3e1af2b2ab5f098dd169425","/app/assets/ProjectsPage-Bjilrf3e.js":"80f9ff8d87239ef8d16614cb974baa585abc9dbb3fb5caf67aca62c7c674bbfe","/app/assets/Rendered-DGj2ewhK.js":"d3bdf90a86f8fb7d299d4edaa66491831a80deea09569966e04fb5a25239f53d","/app/assets/SettingsPage-DXZrN41o.js":"e20dd539bd539a9f30543c38b3e5121f16916d5ef05168eaca80d8dac3a9c9a6","/app/assets/TaskBoard-CXyg_t-D.js":"cea11e37a1b524b12dbe576e9914f5bce362ce5eb9ef1032e9372b9b233a989a","/app/assets/TasksPage-B57y4UW3.js":"95a688148853b5f00ab7a8fa676a3405ec2338d4abdcebd8fb7dc6bc809d4ce4","/app/assets/TimelineBlock-B1iMhiPT.js":"dbe20eee88b624fbaa30939c47c92ad01a001d56459cb1f9a499b54c964327cf","/app/assets/TimelinePage-D7r0V_-P.js":"aed45b408aa7fed0ff53d6fed55392e8a0de0043054f5967301f8c0372cc9be7","/app/assets/automatic-BTYsFHRQ.js":"018025e5323ab4d20e0ab07ae673223d82d918141a4ea3433726d0476e9105f3","/app/assets/automatic-DT1iV9uk.js":"cc6a44e1bd0e64449cc4f0b3bb19724a56d26d84e76650c9a5123f58be246f05","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-hZ-9sp01.js":"29e61a9b21f49788329979bfc669da17823448d7ca17c1f0979917649fc21897","/app/assets/copies-VqUkrAZN.js":"6a6e4661a6139c7e309fe11a4916f34954b955967b34b68e173bfbe535e4abd4","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-Cbz3_9UJ.js":"3b761b9f0443ea6493da5ca5e97d187cc82a6386f96cd469104fdc959a9e97f0","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-B-ncuz-b.js":"643e55bfd3e0e018308c3574f1ab5c3da4efc8dd91b58488e80f62b2e4acf5a4","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-Bce8SKi7.js":"6e4108cd2c23dc640090107ed1e3942593096a9c98fb5564b2f4e5fe3d9ab887","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-CorvHVHa.js":"14f53addff2e1187a5f29187202833fe49b37478ae62c4c7b2a74d49f24b5108","/app/assets/projects-B3R_oVaB.js":"5775ba127762115cf81d66345825795beb599b9d8e43b59b0f6b15a392d85372","/app/assets/read-ycbQTesg.js":"39316200149ed5f64a547d347786a59962baed8eb581aadb05758a4c98fbfd3c","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-B6fMAC55.js":"775e45c050db9efe105423746c8ba804a03c5acf75e88df92d1d3c786cbc837f","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-BCWl1aSb.js":"6290d8d46ff76dd22f76dbef8d7fdefd724cc95945514447e35428849197a109","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-Di7BTlmf.js":"45aa974065a9e890647ee5b1fce7f7747eaa7de40965c485b44779994ae22f74","/app/assets/useRest-DM0h9Jab.js":"57adecf9d97b18cad6cd8d5d1de01b081c77b5a3fe1e89b62c4736b4d997b110","/app/assets/useTaskActions-BwM-Ucnq.js":"1aae281346ac2dbe599ff2808b777f3b5e1581339019a669ab40148571669cdc","/app/assets/useWidth-Vg4LUOty.js":"f7969ce7479224df9d988567b1e61b0bebac6c79511aecfdd73374582c30ddae","/app/assets/worker-CUbVaX6p.js":"21be21cb5d9e48500d4ca7da2c994aeab14d5e4a96dd81c01ed6372183f67cd4","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"5b30db6d76c1eca7382d459614b73bc6ff5f5ed3516fb2c7184a93413739d0f7","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
