// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "09b0e3c0eab8d7ac";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-mpbu9U_m.js":"500962f365d261c210f22b027853d814646f06159df8e866709079f36186bd05","/app/assets/ChoiceList-CDMFxHPi.js":"85d20cc065ebe518d578a71909545c79465a32f346297a32b318c30327b96c6e","/app/assets/CommandPalette-CjbcWdlv.js":"097709cb12d7f367374f679ad76a3d5f792d9151fabde8323f4c6119bd2ab79b","/app/assets/ConfirmButton-CbtHwTHq.js":"fac69be8a8477497523b1dabc42889e3d69c394af74be75a3eb5fb0456e67a7b","/app/assets/CopyButton-uBneHWIN.js":"e26ae93db72b5e561b2f9aeb102db6dab3edb41c5d7962e678768211a5589ac4","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CI82ssbd.js":"91147cedf9fe528a06577d420f11d1f0de97c8fdcde29fc498b2b0eceed7d563","/app/assets/Dialog-DdpUsqUU.js":"d813660ca13c43f0e87d94d0ef2f7ca1d2f4b02db2cb2d16ce37ccf43f2247b0","/app/assets/DialogActions-DdJNmuc4.js":"71cf519799083ae9459ea6a0cd395c524ca3c2fa9084296a5d09b08416006325","/app/assets/Drawing-fCP_ivaV.js":"79668950e5190d7f9cfa7f960911f9e3a3ce7ac9930e1742f1e326405b5f2064","/app/assets/Elsewhere-DsvuHl20.js":"b01441ebd27b579701990ea0b8ec11963c5f47bd37d5ce19c6c57663615ae4cf","/app/assets/EmptyState-DBXMFSim.js":"ca6e8adafced41fd0219db7aa5037c672f46822e2d6614019e4d3dacba840239","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-B8koLnn9.js":"1a9a45ac9c0bd323c20f8fe948f36d35af16bb1c2aa38d88d31cf99f02bd740e","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-CGkeLTGl.js":"5fea84d5f6f476145afec116ae4c04e7c8c78d20c9830ddcb84965d3b245cec7","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-C5TceMiH.js":"4778e4003c96a27bbebb4bce3a0414884c6df6f390f15ff2a62498879ab23607","/app/assets/MomentFields-YrUEjhnu.js":"ef832362c79006e1976f818501d1f9710872b0caa1a5428269c1f1097145e8bf","/app/assets/NoteCards-BNBdlNrQ.js":"7f5ae9d56775cfa3a6f4936ddf337f88870bfe73cfc9e5af7fd0b167bdea049d","/app/assets/NotePage-BYOpgQTG.js":"802262deca08b12268dca51eaee075ab66df04fcaacb5c5580b027659f18fd0c","/app/assets/NotesPage-CjxHW0VO.js":"96df14c80365ed037f737921ac52110e9b4f1540f4f77f1adc47c9b2a987e49d","/app/assets/PageFrame-DkuYv5KY.js":"945e0c40fc505a064c1073fd315f30732389532b6f1410ecf54520bae99fd223","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-CD33apL9.js":"fef4a762bb804e375d5755f10708918cdd9f6362c75d8e95c898ce0767189133","/app/assets/ProjectSelect-BgjY_Y7W.js":"70ce546ba5e192e2863994cce3345ce4c0d741b980c469e29e992b129c611af7","/app/assets/ProjectsPage-CqDpuq6T.js":"2813f24399433ca8a193b8910e9fbfd4d65424ef4f2027422b8978f89e8f495e","/app/assets/Rendered-DgZerBqj.js":"a9daf5949c12289fc3f11f101abbde191eebf69ab50aef17a2df25aabd4bcaa4","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-MqS0o_Cq.js":"c7f6fa7db0260f9454819ce4c5964f48d7478ccf0eb8275257063af91d78dbd4","/app/assets/TableBlock-Cn61PnUI.js":"82dc1ae2b3293bc528cab345da93f898bb2ca6049fb0c7080e06012f6a0ae92f","/app/assets/TaskBoard-tNRgcjN2.js":"b9f9f3ab728e29d3ef0803e4a344d87061eb6bcdbf3d36f6e1960cc63e496815","/app/assets/TasksPage-Q3JrR8nU.js":"790785ea68dd89b906285ad90562e267c4729765b1c84bcda29eb2d6da797ad5","/app/assets/TimelinePage-DVE2j7Tn.js":"c52abba10c6e3a99411f8a90043af5fbb4064d40263fd7c1942532ccc878a088","/app/assets/Unfetched-XcgWcR57.js":"bcb62fe7835405f786aaead8cec7ca224f4a9087cbc7e018634e55be2ec4cc4f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-1uDsQDxk.js":"ec23e710ff894fb73bee4f7208d7af98b0023f48ca81c657b46490506a10488d","/app/assets/automatic-BzG8qzSP.js":"954f65b0547efbc25bb986b101a19f3003dd58d646591911767f488540653865","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/chart_data-BjLpTzGL.js":"3eca9c8472e2aad7681d82dca2da7402876b96f74b4145609c3eac7aaf1cc5c1","/app/assets/dates-BRRvHsCS.js":"876170663eb8cf49d37409bdb49893b50f32e3a8739f46cbcc83d625d54fff2f","/app/assets/devices-CKEEsqs-.js":"d63569133ee9ca3c5da72e87264419559beb175bf4e7468fa84b9355a500ed22","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/export-D2YGwTOD.js":"42bd13db46fba707a5f31af823a1ce68d9cf64202f8d7c8fa49eb561ed46924f","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-CmMsVjy6.js":"aceed888e90dbd90bc5ab9d944de663876ecd4eafbf0d121a027e5384edfed82","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-CR8TcMwo.css":"54120621d3073294f6cbebe6c4f25890d96db342ffa26f763a1aee087cf8436c","/app/assets/index-Q_BRwaCt.js":"91b1fb06fb3c035aab8dd3ca27f00c8a77290658d55e9f0fa1f39c3605bb8188","/app/assets/it-Dgx36Vag.js":"51f24210668d657c139b223733fef89faee9f3f2cbeb592cb55a55e13e4f34dd","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-0AgWnAmz.js":"9aa261f1513ab4173272f16a286bd51554055c1dc1befa0df0dfd6a6ff043245","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-CCNbd_xe.js":"d9bdc845e9c35616005a878d39b6b153171c7baf7b3baac0d0b8d867ae0033b9","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/msg-Dfvzj6n2.js":"5a6da1e7b15fa3273ef26e7c989c3ba83fa312711c4b0b703c57839402c2b813","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/projects-LKHqmHhP.js":"90126ee8c7b518da6d2d1dd62727f3ecfc20aa826fae433520e5435927345898","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/read-zXbB7Tjn.js":"2c6f8453a618f4df819bde19274fb8e933db38e7607d37513f1ce15493321fb1","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BmoemiTM.js":"4ea36b05633a7e716f2f628dcca1558661f3c1f94c9d9ef6d24b9b6fc92feb94","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-DW8ZY5jo.js":"d38a1a313cdcb5808dbb2e4a634ac7d22718038c2eebc494135374adb4d596fa","/app/assets/tables-DblvzeKx.js":"e7bf51ea791267e129d297a3da377c14bbf651c5cc9c481b8dbadfeb89ed0230","/app/assets/translate-CHbd3Fv0.js":"0124d76b38cd931ab1d1d0317bd09b13c0c5363cad9f93bfc8d18a4b2ff5cabf","/app/assets/useRest-DvZl8ypc.js":"665cd790701cbc013f0819cf9f083649f40d9a782fa6e7150a016e2a87638522","/app/assets/useTaskActions-D5RqaF4S.js":"c0b7747d54ef623c0d1ba755b2ff57ac8f681d3b53d0ffb6634a69ca7187d8bd","/app/assets/useUndo-DD-3ehi_.js":"672d0ef8cf72b536d92494d2e0ddce3c3a47a8a6f4844547eb0b356bc30d3588","/app/assets/values-BqjzQ1SG.js":"21318857765e87a7ed7265a285372d079ece5fc0be6a1c97afb0d287e18597ae","/app/assets/worker-DZSSP4l_.js":"74c7af9e9bfa27382925dfb33cd96828ab84a55c80a644d83862eefc4586a02f","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"148198a11daf47c0f6233af3ab0f15d2703ac94bcee6a74792f03569d146583f","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
