// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "c86f9630c1a49d98";
const FILES = {"/app/assets/Cards-DfxgnB_T.js":"afd24ee4b52b038cd842f6592c48b725c63c8bf2ff72ea90b4e12ec2934737b7","/app/assets/CheckpointDialog-qv_-zCgn.js":"4fbbb0336bd420aac4315e66677d562d100f23093d7acd85623abc626507144d","/app/assets/ChoiceList-as73L8D7.js":"4e3bfd5e414a47c2bc60730a89b564e37b60621ac35036f95b1a113c560e881e","/app/assets/CommandPalette-CSs7FFsd.js":"8c6fa4d953276c898522b0c78cfe42c093695f7ad31bd016ed804dc43730478b","/app/assets/DatePicker-8CHrg84y.js":"12399e974e18e3093e6228a0423364133cfa9478bd289a58465bb54587279095","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-Cr1t1to7.js":"5561d651610f0fc905497b13dbcea39c54c2ac9d65101de100257bddc67d32e1","/app/assets/Drawing-BML9HXTJ.js":"d6a3a0fd56b25b5a4b0aa19c595d25b10b7a6984a85553ea4d21508775412d11","/app/assets/EmptyState-5R3SUg4G.js":"d861ceb36fdfc008e6d6bc4a47554346a0be9e1ca0c3f349bc67624849421246","/app/assets/GanttStrip-DtfLM-Y8.js":"5ca23c27a3ed3bf17deac925b4c43648d9209e1b3cb0b812db75391305d01594","/app/assets/HeadingInput-BLzkzScM.js":"96ae2160625031f96465590c46491c3179166fb04f4e77b887d3d095dac253b4","/app/assets/Highlighted-DuLO-FPu.js":"6316093e129b56c37efb5eacffb06da2e4947a2534fdbd33d77425b1ebd00584","/app/assets/HistoryPage-C7MM6uxz.js":"b593f2039dd9018c112b688dbd8dac63f30149dbf818c71d26dab519265a1834","/app/assets/KeyHelp-ClYKHZFF.js":"a84015616e5e9ae54501a9b4727b2e99cb505fe35fda0d263dfbf442b39623bc","/app/assets/LongList-edruc9yl.js":"aa288283fce4171e4b6ee6bb88efce218c864dc300661baa2f9cf28ff65defa5","/app/assets/MarkdownEditor-C6P4QQpU.js":"8e7a144289e9bd1a2c94a3cd7d5a580a0e1ad3151e70cefa2456d11551d36476","/app/assets/MomentFields-D8SqZVzP.js":"cc47131e6d1300306decec2a833f5dcc1c1cf600f2da77d3b72861c7f852af6e","/app/assets/NoteCards-Ceg1EsNK.js":"ef7b53802a0d6a034f365315599b4b90e8e9503a8ff1ddf63ecc29c0d2eecf06","/app/assets/NotePage-C-5Fuv3S.js":"28239bc996eacb34025e8869b728a252f0dae9525837ef147176a768dba9653f","/app/assets/NotesPage-fsNkcng4.js":"fcf49897b4dcbc65088a798fdc9381c5a79901f9d29e2fd7fda24c7ee5ddba8a","/app/assets/ProjectPage-C9oCnAgJ.js":"4d627ed667964b50a41cc7fabd6782e47bf8915997e4717418b324ca061c4df3","/app/assets/ProjectSelect-eG0BzCfW.js":"dbfd69052cc9d2bfe5f73b06d8202f3e324086973c47f71689c89818cdbfffb9","/app/assets/ProjectsPage-ByDYg1Ly.js":"0b5914ef375e68f0e66abc94b409aa7b2eedbb1bc6b4c5e8e220c1ffdb70ba08","/app/assets/Rendered-DVyLWweE.js":"72a9de6279a30085ee100a794ffc72f0bc3df1e239ce4e12760f14b4ae028f5e","/app/assets/SettingsPage-CFQF3pDH.js":"f7af292c72b7f7ffbf21560c6844fe2a471b5bbf3c2039c833ad4a06ed041df1","/app/assets/TaskBoard-oDc-CA7Y.js":"bb0bfd3275d592b1574cf725aadccb955ff3ac2c3a7520c2965b8bd445f614fa","/app/assets/TasksPage-CLW9PHwO.js":"fe9bb54a7c1aa407fb2d531ab9d4d7084bee9b21d74bdd376484ffe999965946","/app/assets/TimelineBlock-Q7nkEgHa.js":"8ed0c472104c50228538430713e9e96c3ca546f2c0db21fb5da158dc6d3baff9","/app/assets/TimelinePage-CUoloVg1.js":"b274a398ade3425556164fab022692c1903fd0338dcad6877ffa105f7ff023e8","/app/assets/automatic-B2rQVy6J.js":"16e0fcaa4804a6fe793f1d08322eb8189c51a724845f3de180c93e885bf626c1","/app/assets/automatic-LTna41rE.js":"9494bef66074175e5d41fc3bb0d1609071801dae7ce10fc33e46f88c1e2fdd01","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DdQxbU9i.js":"0a0fd368fc6a7a16029865aa733b3552f90346c07d3edcbd3330a39b45269fc6","/app/assets/copies-VqUkrAZN.js":"6a6e4661a6139c7e309fe11a4916f34954b955967b34b68e173bfbe535e4abd4","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-VDo11F9D.js":"cda9a46c41d06c2166f114196d63f559c80a2a13d35b973c621acb4d8ca4816c","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-B-ncuz-b.js":"643e55bfd3e0e018308c3574f1ab5c3da4efc8dd91b58488e80f62b2e4acf5a4","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-BXNhZZaf.js":"d97c333a4cb0b073ed4e30f4b85512f9a5bbff229ddd781f9b8c1087d2e3a15d","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-CorvHVHa.js":"14f53addff2e1187a5f29187202833fe49b37478ae62c4c7b2a74d49f24b5108","/app/assets/projects-BySddkyo.js":"784686e2bff339a621ae52500eece61ac7a98d98de88941c19d26bee14abde36","/app/assets/read-ycbQTesg.js":"39316200149ed5f64a547d347786a59962baed8eb581aadb05758a4c98fbfd3c","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DnZ3H_kX.js":"ecd6b3ccf4e2a0b295ee13b15ae23f184ed0687e830bace0d1624a3e1d647368","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-BCWl1aSb.js":"6290d8d46ff76dd22f76dbef8d7fdefd724cc95945514447e35428849197a109","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-5mBd-S_l.js":"0983fa73fb9c5604badd7b756491fb453bb46fbf199feb88e1ba6785a7641070","/app/assets/useRest-C0xgpyjf.js":"ad16bf00849d57f6b3028fb9bc3f70c6a08f03556e7ef7b3f5b8044d79d7e895","/app/assets/useTaskActions-UrrS05wb.js":"6513ff89bddf9e4056da3e2d30ce8ceab0c5edcabae45d648c919741b0bc1e70","/app/assets/useWidth-BCl7Bj6p.js":"41ab6160868c665cdda11ab75fea5c40db2b7d425994dceb76c854d7c52abd7b","/app/assets/worker-CUbVaX6p.js":"21be21cb5d9e48500d4ca7da2c994aeab14d5e4a96dd81c01ed6372183f67cd4","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"c58366bfe0596181be4551e73fa86d65924453d38bcc04b5c58085cfc6548b17","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
