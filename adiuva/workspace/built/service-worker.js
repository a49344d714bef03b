// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "e65067487b4140b5";
const FILES = {"/app/assets/Cards-D9jd1cAi.js":"5b0dea62bab3e343c445a33b9c94a237939935130a9e856c1f61854df3dc5be6","/app/assets/CheckpointDialog-b6HeC21k.js":"cbdbcbcde616781af1a7611938b8efaf1277973f57df020fa7238566b36e059c","/app/assets/ChoiceList-CmJFFTUn.js":"9a9413e7ea43ef538ed018f21e0c29fa36cd697ba2f7c97e40838bcf658c9346","/app/assets/CommandPalette-CWXoadd8.js":"3a4ad1f352e8e40d216bc02f78f30ebaf5123d876d695d1c5b4412f78dbec91f","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-pitmZu2k.js":"2e3f286e433af0c881847604065473075bc5959051b6f38854ec90dd8114b548","/app/assets/DialogActions-CRNDahw3.js":"5ae5ae66c917de0d045dc6149e4a6580622c4af34ec8f06a3fff28c3c4a3c43c","/app/assets/Drawing-Mc_fpjEM.js":"489de1e8e36283b5b790d82f55d2e6221ec58924f18ede92def7440c6b50911a","/app/assets/EmptyState-CJioq7Eb.js":"8a9587153f1b272a47c105151dc866f8dca3ce2674b4cea21acfebf89a201f3e","/app/assets/GanttStrip-BS3w0M9P.js":"a4f71ff996c7b89dc39237f83d98129e686f73de1e8bea9407896cd1a0d6058a","/app/assets/HeadingInput-C5MwwXXK.js":"fc5fb13dce4d21baa8bc27a25742e94cddfbedd67fc3b0d55a8f7461aa8ddcbd","/app/assets/Highlighted-B60iF9VS.js":"c02740bc8b0be70f3c53998e2354b8f51b3f2ec3d55c2efe4ec924780eaf3f6e","/app/assets/HistoryPage-DfJwGp0y.js":"b3c3b3c64b28071f6b0fc4e9b58e8ec5779e24e913d38aa7e28a508be4940050","/app/assets/KeyHelp-Bls_ZG6K.js":"547f8459b3a157adadbd91249ab0b14f8aa7414b7b6cc9f8137f17cdc178eed5","/app/assets/LongList-N4C68iPU.js":"3b6fc2b4545fce921eeac44a21aa0e99d35f409068c2480abc383512668c0134","/app/assets/MarkdownEditor-CanvanRz.js":"add50053d359708e7d27a048b6c5b199a815c1f2993dcc6fc9a6063e2d63dd3c","/app/assets/MomentFields-D81Zn7f4.js":"9c912ee19bdbf03fc167764f77e97edbb27efd172fa7d769ffef1220531f33ff","/app/assets/NoteCards-BNIR7YTn.js":"cf51a9a7c953a9079fabf872efaaf4b0eb44d94c3883496009d88964bd4a34a8","/app/assets/NotePage-BijS7_qo.js":"6f437d9a058f5ea62e6bfad0ea1c2b9a311f0b4da2caaf476bb1161f21631524","/app/assets/NotesPage-B5iPBs9v.js":"78c865227b05ab00f93ec5b216a348eb5a4ab8a019716133fe7e110d6e4b2481","/app/assets/ProjectPage-CVI68Y7f.js":"f3554110fb771495e1a9b70965847132c8b4eb73b42854d139c730bb1dea95ff","/app/assets/ProjectSelect-DgJPgTss.js":"361719119b383b93e9381875c8a0a9f8320bcb3179503bee6bbf905c0b6244a1","/app/assets/ProjectsPage-DQ3BrNMk.js":"991d49a416538d95d9ca166e3d894680d085f25b462b449e3dd9bf310ff804df","/app/assets/Rendered-D_FGTMfj.js":"3bc8b5c7989bf4b481ddba130ab6241862757b4d8094a5ca4dc7bd4d2ddee4d5","/app/assets/SettingsPage-C7qsM77D.js":"89d274062ec58b31ed68794f789e05a374d875c04ad39a98928a95751261656b","/app/assets/TaskBoard-BDbR_kQO.js":"ec04b0a700702050087c3a9fb8642206b10cdea719aa141aa8261f1c8612e171","/app/assets/TasksPage-BzPGLX1S.js":"2a6af3ab1a2b3a4ef59b3f1f5da713b1625ba9ca6e379c48ba567e9de0379610","/app/assets/TimelineBlock-D1sbv-Ij.js":"061c5377af9a4f25741a747a6d6dc9faa0b155f0fe9b88d2c608d2b2927dbbc0","/app/assets/TimelinePage-B_2-TB71.js":"fcbcd637faf52c33b4e1fc2c2757d0b95d0e4bc500f5bbafd7ead79952f6e8fc","/app/assets/automatic-BTLoTjCA.js":"358c515fc0aa1a5821080d789a07249b725cd69f2b2cf84b9877f9f4957225a2","/app/assets/automatic-DX3QUyJ7.js":"90b0f6f0c4da143ea2da7bb3bb845f0d8fbd062293d59bf399494586109ec9a3","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Dj5u4DDJ.js":"b25f49199f785109eff2070f88adcdee258467227aafdef6a0eeba1301a1cbe3","/app/assets/copies-CqjcCnO5.js":"5ac00eda123841017ad8eb0fee7ae2a65ffeba28eabcd9013dbab750dde58ce9","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-CWLg22ha.js":"32de842af48bcb49ffc9705d0106215d8896191240ccefc8165cbb8c8f6c2ae2","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BJhTntNU.js":"a27dc6dd87fa7e65653b227b085f40c2a26b4bba5b36d9a23c7d9fe3ce0773b5","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-DG7sPd-Q.js":"91fe5702ea18f4f5923f28d114b9b5d7931794f97413d2fe7cfca2a439cdde97","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-Cbd2bNiZ.js":"31bcdfe624fd3b9b215abfe712a3a47b1613aed8cc35734f77e2f5d3d071ea6d","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-DpZh21Zj.js":"b6c2ae1d8148d0bece6fa8cb84862fd4a91ec43d61d2cd39a60a6739a933dda6","/app/assets/projects-YlAODgwD.js":"1121417ace60a913f411854fdb0ebf5f7e0900205d3ebcddadd612e6791e2941","/app/assets/read-By802422.js":"f333a725b17954eba2f775206e96a0536263e6ab54921493023746b6ce510491","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DWWKLor6.js":"0609ff619bc310f0aa63cf3d83f45041d517ec441fac4afa25f9689d0a427574","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CGvrYowZ.js":"2897bf9c269e910320d9257da386e3d2681a87e41f8dc877fc340ba13e42455a","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BOgAEA8V.js":"0e1225a6b79774a1d29df67b5d0f0d214dffff86d872a11bb0a6a93b3e7a814f","/app/assets/useRest-CDVo6q9b.js":"85b25a7d08bd232ca4af1aac919e4e044a558b0020a47041a21ce85f63277211","/app/assets/useTaskActions-Chg8rNoM.js":"e8595b15fd428c483ce2402700e491594274847170f2f8023bffb623aead233b","/app/assets/useWidth-UTcabl4C.js":"da9bc1f930301b462fb064b92812733aab5ab224cae1562317df445853c59f94","/app/assets/worker-BK_5lKsD.js":"56d8b38b0a2dacfd068fa328a51f2a0ddbf4c32380b58ebe07270431228ab491","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"de49661ffbaa09462e4f81b488c0c9afb6d859b5b346c49459f75e21fa754fbb","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
