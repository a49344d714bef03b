// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "a04ee3efc232f4f5";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-CS7XlAnd.js":"2877868cbcd7b5dda9bd3ee458f554dfb3ac6a2ed0cce6ba79f0ffa1331f37fc","/app/assets/CheckpointDialog-Cyf2ubMg.js":"d3aa2912ad462f62f2d3820ca58a1e752b2f27a05f14f96ea364f7c814c92e3d","/app/assets/ChoiceList-87sH8-Zy.js":"8b6f5d43d5fdbb035f6957528aa5f6530a75772907d7d99c1e266a2c5fbcc9d9","/app/assets/CommandPalette-qduvZwrX.js":"ba721288c53ace5e90fdfd6b61889295713f125f1ad613974e691c1a02897368","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-FJr0B6Zt.js":"68ae603a62a7eb75f6251b745a164ae9c2455b60bf8cb224d226976dc4aa93a4","/app/assets/DialogActions-ITFBlyLR.js":"fe1144d120e0fc2dbbae8f7f6211a0b5072a21aea6549d08e4a5d98d7955002d","/app/assets/Drawing-DW1htamb.js":"250ef358a40dcb3cb3f243623dce53ff164501261411227be26e5c6c15f6ee8a","/app/assets/EmptyState-BSvKU43C.js":"5b70b98266aea17206419170d2945b4dd7683495b3789355e1fc311857c1aec4","/app/assets/GanttStrip-pPu345Fk.js":"5c419975b47731e32639650d84379360d54c2f753f0d650a96db5c360fec55ec","/app/assets/HeadingInput-CAr3lduE.js":"a81611a8067a094ec7652b8f8e5ab4ad2252986bbf0bd2b846aea495e2c2cf98","/app/assets/Highlighted-Ck3M5ELs.js":"86894bbd11f36163af5e79652b038e78892eb7c0b7b01c30119f3fc1ffb8e6d8","/app/assets/HistoryPage-CTCw3AaX.js":"b994f45215fb0bb7dcadf597afbd49eaf00f0b61f4654e70948cf59e656f1d32","/app/assets/KeyHelp-Dz-FOgA6.js":"c13dda147b9bae9fcdf58588589f22be6ae7b8654f93556d50b41b76ae704233","/app/assets/LongList-D21OKXzx.js":"6bd319427e5ca21a534141cc090c9ac881f6c1444128fc19f1fb651d4482e156","/app/assets/MarkdownEditor-b4us2K7P.js":"16328e53f13f44662ff49c625789dbc326478ece511dbaf0741c8cf8b0cffe62","/app/assets/MomentFields-24CxSJNR.js":"a06b4d04fd286ce90f682b2aa4861906d15a38905b14e9a369810ec00a83dfb3","/app/assets/NoteCards-A48vnyA3.js":"3ff5a3d0d3c1fd00a72699c0fb0548fc03811743470e9a44d9751c145ed43cdc","/app/assets/NotePage-D5UmTnF2.js":"71039a674419a19e8dbd13d324fb41b3365b7cf2e3a303637a5f3546cbfea4c3","/app/assets/NotesPage-jaOWpAGX.js":"f0ea84e61ec83d2825b302a376aaa8939dd50d099329dd0dbfb01058e1b5f27c","/app/assets/ProjectPage-CUvWEGkS.js":"1a7a9628be02774e915791b1d9e60404e48c71fdb008f3986760cade844fe840","/app/assets/ProjectSelect-Dl9jPQN0.js":"dbad3aa72a076282051ddff2f7c3247d3874840f0ec70dbea52777eeaffa7f78","/app/assets/ProjectsPage-utRRsLls.js":"a925b746cb0f96935b5e9f63af726b4351a7b68d3e78bf3d5d6de3c7998976f6","/app/assets/Rendered-CEFLQ3cJ.js":"8e428b2f333e1c4c6266bdfd7ec4f1b068b3e50a0e07f194220591a97569cbc6","/app/assets/SettingsPage-XF8SiK5S.js":"ece076b09eac6c77c023d5b59860b2678348ce449c3e581028056f8ed431f5c9","/app/assets/TaskBoard-B7ufyBH-.js":"de05f04603ad4614f2220bd3fdf04bd626136f190198e0c034e77b409c80b410","/app/assets/TasksPage-DBVPlXBY.js":"524862d8934ed332be5c048e3e4d79fb8f6b5fecf6b12de940fe887f2b4a5428","/app/assets/TimelineBlock-Cqiu5WI2.js":"b955d5177f984a6c6b9cf7a108e03a6fe71fa5367381ff7dc9cdea068b80d65f","/app/assets/TimelinePage-CVsAtT46.js":"7e60a7d638311dbc58008f9bd3ddc4e969d746cb0709858aa1d5ca7d2478e60c","/app/assets/automatic-Bw_C9buM.js":"5d4d6245471c908733758155b58366cfbfc88dcc7d8ade05d5d25b827950dc27","/app/assets/automatic-DCvGH8Tq.js":"d0bd7633ca794f513679c77bfda0149b1ce1d4151ba7b30e88aba67e92aa090b","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DQLTJbj8.js":"28c2ffd52cf86f53be16e321a95556807679c6bbab7bc677d29a029b46547325","/app/assets/copies-BCoLRVg0.js":"a096ec808e6fafa94644dfdf2404d998a85fba311fdc8805942eea51366f6074","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-CdNwg_h4.js":"a3637bdc4665cca3d6d2f389e1923d9231a333e3a6b35bd6089a4ea39b365af1","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-B8e0sOqM.js":"58f5a51a01f938e4b585bba78584a32ddcb40dc9d69f53b16dd94096fb7fab5b","/app/assets/first-Bbc6XTJ4.css":"6df70d8ed9ceec8c1561bacfa9c1be9c9f30d7ffdc721c244c9aaf8f0fac2c21","/app/assets/first-LERFv4pK.js":"052271d56552e77deaf39298df3c0153c9f34e6e53d048a1a372857a79698f4a","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-ncgBcJ1z.js":"16d4303fdcdb5fe0a4b7b767c6597867358ddca0265f65f442acdeebf1781a06","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BA4iZrw_.js":"b84405e7f6055a5d8d2f2b501aa314fd6770810c05b76c3c14fff1b3ecb4fddb","/app/assets/projects-DRfobHh-.js":"5fbf951b2f78c1d4f35b3014b4e946163b9b41210e6dda5af8b29930466f7b95","/app/assets/read_worker-9K875g45.js":"1c3f713e25e5e31e0537c9b5dbd018d37ee634bced3bf754d0f586f79d034987","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Ct3oaKtF.js":"8280f73e8d5d8f44b8efd9880d51ae9444938b8343857b32d06d04c9e4fca5f2","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-Ce73MmgY.js":"1dba489a24439394e63ac7293e2f00eb0d8237d4fd6e6821e89e3844f627934d","/app/assets/useRest-C372f4n1.js":"12fceb3717f16d43f6ad61a7385ee4fbd1b612b132412bd8e2d4ecfe5f287fdf","/app/assets/useTaskActions-D8Q9nN11.js":"286bf39797c1a5eaed92a94b9ffd2fc4ea97218a3e37fddd3781c9bda42a8d48","/app/assets/useWidth-CYGojcnp.js":"bbc974b6d5280506bed752911952e439868ef2364b406771ca11f92c59d29f39","/app/assets/worker-C7EZ5qpb.js":"15966b26922eebbb8189172aba9aad7c9cf71945d4e0080db9dbaf1d7516e7cc","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"ce7a87829597fce7213cb10a8be33ada1255ce077d301d31808bab96994e795a","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
