// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "4b6dce56224fe142";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-BpAXrqxB.js":"9c885c90afdb9d913e134833c8fb1aee501a2c0f8dc9261b51a5f8937f323e93","/app/assets/ChoiceList-BtZHZyxv.js":"59400d5f88ec33d52d3882a50ad330d875ed63b9a623cd653392357597f482d6","/app/assets/CommandPalette-nidThPnG.js":"8de36c15ed330e675d0a83881b16d50eef17a0630d652ebf4f30766acbaa3065","/app/assets/ConfirmButton-D8h6LTwH.js":"4a9b5cf8fb4ab45898871fc96cba7923b0d23f3b9bb023169c48bcc03cf0cfa0","/app/assets/CopyButton-CipXANaP.js":"27f5382af3387e35b0423b6db12b1e0fdac2f8e5a702859c4ba14edf9204ee61","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-DkdL8-wx.js":"3062427dfe456f6f1c3384a7919e783767fa686b2accef4ab7bc8e5d1b02ebcc","/app/assets/Dialog-DdpUsqUU.js":"d813660ca13c43f0e87d94d0ef2f7ca1d2f4b02db2cb2d16ce37ccf43f2247b0","/app/assets/DialogActions-pCDuUbu7.js":"cc0199b6bdaba606fbd26cedad8bc6c274302cac76e3842961e3b204b073aee5","/app/assets/Drawing-DkW3oPbF.js":"8a7cd0928f09121cc0cb4529cd0d910bfce379e2a960671a5fbb222a34a6d2a2","/app/assets/Elsewhere-3NRaE8aY.js":"00e3a2d22a17b2fd75513470b65da0216d2821b515471d17c5b88251f7c6b578","/app/assets/EmptyState-CegO_mpd.js":"d06903eb3e113a0e42c9cef76cd11cf4599ea31f9c00971b475671976b21594d","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-B6rnYwAf.js":"f043ede8a757fe437daaa307ed9c654985f95df00408303e933fb3c7a892030a","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-DMqUIUEe.js":"83b546bc80252607aa58c994d9bc4404e9539a592d20dc134f1c6e4a9fc7d461","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-Dn1v3QkF.js":"0265d208e18f626e7cf6f38c71bff1d13321a635fd33683135fda4fbdf6945ca","/app/assets/MomentFields-C3HYzg1h.js":"5e4847d20781932245ba93642d578c098f4f9caa1a786d71beb9d43b386d2796","/app/assets/NoteCards-CnqNvCXP.js":"d905ad5d1e6d4696cf13d4469f20db29fc2aa343ef057fa5c35792d9b840173d","/app/assets/NotePage-CMRfV_TT.js":"52d03a71737c96d471ee9e0628b180793e8a84e9692083707fbfabdc9e724815","/app/assets/NotesPage-BxNW_2DM.js":"db0c73839f4c7314225fdfc65d1aa50e6d76b2f02e8df078d7db8adb11d8fb00","/app/assets/PageFrame-Bh1TepzT.js":"c494421cde4b2e4492f3de9604a1ad0daf68200e24f2b5063a28b437f833f341","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-BW6EuK-b.js":"ae5c5e0b3fc16fa84bd89e807b41d551d6875b7b756613089145af5c327ac351","/app/assets/ProjectSelect-CIlB6ZQy.js":"4ce601edbf5f62b3ed68a39e11878350155b06c644c5c938680e874de0eab12c","/app/assets/ProjectsPage-B0sl2RuW.js":"22ac7b419c3b204779c5d1be92060c07217906802d2dd32bff63c2077325e29d","/app/assets/Rendered-DnjBQWWM.js":"5f572cb0b29f717293a749291c1e3b48b482f4cc30ca029b5bc5ebd909e43952","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-C17WjryJ.js":"a56c9a0edf53e70bc944d4c54d6389d0cbfe043afc00e8635229d15169b24621","/app/assets/TableBlock--6UaPeSf.js":"d08ca025338c87850183bf9d81c941595228a2d052bb163e96350c38d2d946a0","/app/assets/TaskBoard-BuouA6FT.js":"bfc4ef17e264f32e15af4fa6011fb2984987c3e6f6d82ae54647bfb4d916480a","/app/assets/TasksPage-BpF3OuXp.js":"5d7a6ab6a26370c427a7a3ce10808582606d352ecf79e51805af1a348a5b9782","/app/assets/TimelinePage-c9_ykoX7.js":"f2a2dabfb98a8e52b860f346e96b5bf5e141e60ea490967f176e326ac935ffa4","/app/assets/Unfetched-Cd6Zg1JZ.js":"b18ab03d56e8cfe27499a98cae42126b871812869059e74cce3d12e533a6354f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-DI-sQUtd.js":"dcc72cd33a3ff15ecf068915110c4ae04c4d1ce3a429f5d0e845dd39a697532f","/app/assets/automatic-DYBQtcPE.js":"9eaa73b91b54467432b995e6b5f1e9893bd234c98e6a19117688b25b3e7e9e1f","/app/assets/chart_data-BmGcPuik.js":"61c0c0c08703ab4218f51cec7c9762337fdf8bb5bcfb8ee54d9ad0928fad5cac","/app/assets/dates-Fn7SnsmK.js":"d9f257eb3a116d7f05e5cf276af6d6ca521cd93e7c3907b4b5331f97fd32eb36","/app/assets/devices-DgGcQhYs.js":"75aed1b817fb59b0d40fe6c4dfd2933c9f4b0828a61d99323e74f8638d9085a1","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-DLgi0Asv.js":"e4791ca3f9f661c90875cd1c410b458e15687514ea26f6ec3f4c3cb5735d9f71","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-BtihBszd.css":"03c4ce466a71094f408164c4ac6f6a8770470add7defce9f4b6b7b9372f9086e","/app/assets/index-CBcqUTie.js":"e932cb8c40018b472ac59a3a694cee3013474c7586226c6db8b231e7d7e92a20","/app/assets/it-3kZb8mO_.js":"201397e097294f869f44219db28dbada94582a7d14e6a90e5439b03f757819fb","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-CAS3wrmO.js":"9b2f8f708da8af4bb51934c74700a0a466c039d9e9eee5962daaa26eb499cba3","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/msg-Dfvzj6n2.js":"5a6da1e7b15fa3273ef26e7c989c3ba83fa312711c4b0b703c57839402c2b813","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/projects-Db-Wsvok.js":"df0bf445bf0b419a98df8651b59ea78fbe84b4f6eb1a44e56b05e71aab15302a","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BAewgJs0.js":"df0965f62309cef2962f3ead83f1313b0ea65b579e08daf6d3192b53ef7119f8","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-2FHbmzzT.js":"786b52534511d3d1a418d29fbca4d8532ed9acd6c9de5a29a2fc6a1b606cf6dc","/app/assets/translate-Dv0npYFl.js":"640f0eceb1941a8e9457cd7182023df317975ba59b1b9b372707905c5902d0ec","/app/assets/useRest-Qy-Gm0qG.js":"dbaa635e29706e67e7a521188439886fc83ac466cd05837e4e9fe66a532e428b","/app/assets/useTaskActions-CaV_omxc.js":"94ff60125fd6793e123a13ee8c1a37bface50c3d1eb4d57cfa93e263658cf4fb","/app/assets/useUndo-D9EV5pfM.js":"789d1a4ab0adbbc020a7cc3dfb0d81bc1c582650350e4badcd4ff8a2cc35a40f","/app/assets/values-3eKMN2BB.js":"0c1b73f7e4169260f35b1fb32f1dc9a85535f14e91ccbb9151b837dc986f58a5","/app/assets/worker-DV-139l2.js":"33d09fae008b2292fc5be1dd85dd4cd3eaa0b3679da1ec5afda1ef7e6790df9a","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"d8f6f93d8ae7716885610aedd0b7e2a848b0ddb635fa63b7e5ee208ab2cff5a3","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
