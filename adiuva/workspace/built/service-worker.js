// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "04062c6392051a1c";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-BNJLVHYg.js":"3171c6c09ee0cd58a960f55647611a913029cb4508b9e81b1e51094bba64c609","/app/assets/ChoiceList-ky-2FAAK.js":"30b4d60a349c0b1d0166416145df004b5e4d79f34fd1a8c2a9973dbf02af773e","/app/assets/CommandPalette-YPAmCcRG.js":"348e656d0f6fa25785c76970291c2ee055dfe42a6f091fa9658e499e45890476","/app/assets/ConfirmButton-BuXwUMFw.js":"01c55fcf89be09443e21130056887d00d2c6730ab05c1c92be81ce6ad3a83e4e","/app/assets/CopyButton-DkRGU5FM.js":"f614c7736fcd01f06ad765f60e321707bec6ab3e568194708e72e51285740f68","/app/assets/DatePicker-BfZkrauJ.js":"b737e3a84ce535b76e65e46bcdae2830a1aedd0663cab5d7c8ed981df1f5bc4a","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/Dialog-Brjp3ZOB.js":"c72d4c73bf89b260e8ae13c52421e3d4f9d10d390971c552508d6c7ea64f85d0","/app/assets/DialogActions-CcfWK87n.js":"057c1501d463bbaf554475cd0d042bd2b3eb37467df4132aa54af22deb192300","/app/assets/Drawing-C_wNIuxu.js":"8b83f1313c0fffde887f65ee0cbb91519317d1b773b5a134f54065f40c8266be","/app/assets/Elsewhere-BqNJe3Ae.js":"9472f4215c6253dc347ae19aa26c734afdb4d9fd10d110b197bf0a02e8b56864","/app/assets/EmptyState-R-5GR3Y2.js":"e4712b5b8901eddbb4345fd4308f66c83ec227894e9cd0f907de706c60e19467","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-BAiZP3O8.js":"3fceb9b8b2c59965b680b3ffb6064f6ec80a411eb93a76bfb8aae30b39200645","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-BYy7OQi5.js":"7bac0d0c17313a5c1be90e6919f2253bde340cbd706bc45627084565890ecb2b","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-CHYmtHUP.js":"7af75a150844b9350a07a08f3fae313449164e32a92dd4b796f600833fe4756e","/app/assets/MomentFields-v0QuEokB.js":"b9447b6bfec1c969fcaf444850129f9e8ef792a1fa1edbce428bb5e3d81df05d","/app/assets/NoteCards-lDnQ2F8w.js":"5cb5958f719838dbff30c76e04e8e74bc1ddc059fc5873a9df939c8322330a4b","/app/assets/NotePage-BMW-xmwb.js":"095156baf5c297e37246caec44e06a8fc40a4ac7fc5b4733f0703098074992b7","/app/assets/NotesPage-KQOaDe9g.js":"5f1b24b93874e6c19209ad9aacb407b6bcae879992869e4d833b9575abe6929b","/app/assets/PageFrame-D9R9roDy.js":"b049191958a316399bf437f665b644a6e2e951d9991df34598575ec6e7be641f","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-CftwPZNJ.js":"82fc49a019e847c4029a6edcd399fc4f6bb3ab2520d14018a751e3f4cffdebf2","/app/assets/ProjectSelect-BKZmUc28.js":"d0a673bac0ba47c6a86269162f4c3f5cb9a5b9feb93bd13ffb09538672887de2","/app/assets/ProjectsPage-Hx1npx41.js":"50b5737c73e604a64ae05fa45d8c7bfbb6c0b76e82f5111c7a9e9d6220c65849","/app/assets/Rendered-BGGEFnwK.js":"e076aed05d6f4443da547c880c47941d56c92e8de780127446991aba3259cf42","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-Bzw6LIqe.js":"8b0e9c979457ec23c2aaebcd9cb9ef93a1f45b23fce68080be153361d44527f0","/app/assets/TaskBoard-B2IRNERe.js":"d6e5c2dc0b77c4c1d42780aa16a5d42b3d2745802411707ecb7be5394fa56ce9","/app/assets/TasksPage-ezHw-gjT.js":"20b6d979fdb7e49ac9319cee8bc8c359323bdac548579d758f016754f4c72d02","/app/assets/TimelinePage-D3KrdF57.js":"4f91d5a78c607dc4a0a40141a8490227abb1442ecb1c1edb8157392235b4ff7a","/app/assets/Unfetched-DkEJLQbs.js":"ac1ccc7745fd99aecd067d1923cef8c8c423b01b9faf63fd9c2414d7a6759cac","/app/assets/addresses-DIca7_f7.js":"12a22c0e4f8e8a6d4d12152abe52e87d0abe6810395bdd44d3ad5bddaf7de52f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-DKiFpFYj.js":"5f3761f7529ba84d3c7faa1572efb677296acfc6aa47224d5bedc2a8b2822b3b","/app/assets/automatic-zZ65RMYa.js":"0bf531a193c6609855999c3869f889ac5f39f00619595770c4525e97d6369dba","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/chart_data-BrkkwpRW.js":"9c0e7d53088dafbe6961538c76000b114c15284f091ead3a14080b471233d40d","/app/assets/dates-FKi3fOcg.js":"dab9fa658d51f3e377debff16744e714662c274be7caed92d49efdd7a1da7a5f","/app/assets/devices-C-tik42p.js":"3c2fdba4f0d192ce18dcd33a79f6ea17db2d3bf940a26884370659b01ab85909","/app/assets/dist-BpsFyIWb.js":"7093982580f91277b7867b6f93bd3fba6bb57f5850e34acd5bd16d255d2880d1","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/export-BwDHq7K1.js":"07e0ac34ce944b41dde6231a83f15811713c99d12e63aa7d05177c96737003a4","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-B7JeKV-M.js":"35eeaa4ac6d808b5d64ff2a3fab39a6753f1da7cbedfabcae0b7ceca95a5d1d0","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-B305pW7C.css":"e209392f7defbef7e6e55ea41a48af0f837879c0e8c7fc5c666b2d2990dda97b","/app/assets/index-CzFOFs-o.js":"3cfe5c03f8c8de6c10d2b12ffc32f419c00d8c0359f71672e400b5a34b3768ad","/app/assets/it-D2dAOsNL.js":"578eb75353eb0d4686edc292034d8de28ead00e82f4096a39185cbc6b7702832","/app/assets/it-Fp3fD--w.js":"b993cc456320e200f2d4ff563771bd72f802b66d95758087433d3b52202dc390","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-C19ZTAO6.js":"315d8ce8e7da9af691a8eb9b6ec3732c6328d6b4a53dbe567a06116db90d3f7f","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/marking-Dfvzj6n2.js":"5a6da1e7b15fa3273ef26e7c989c3ba83fa312711c4b0b703c57839402c2b813","/app/assets/matching-ByBSHkUE.js":"aad8e944f5b3ae22068cb207e171571006e3c5bdca071796fc287e123bdd2d1d","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/read-BR7OciGK.js":"fc778fa5645f60630f7154d23c35976c98cdb8a0e858ee0df1af237dfff1cc14","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-HH5c59pm.js":"a4d49e56da679f28202b327f2acbcccc2bb643590a30fbbd2b28d099f27fb4eb","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-BlttA-iK.js":"a219d18cdd41a43c14daf2998c5a87c87ea20fcc2358662cb5d8acc434e2577e","/app/assets/tables-DAeL5SG2.js":"9f5c55a3ed2af5b24d7f5f713446c76a837b79f00a444a990e24deb11e13abe9","/app/assets/translate-QsDHr69W.js":"0755868a9f5dec3c7c6a56548ad4b4b08495dc91ace5807f4edc20a9bdd2e21e","/app/assets/useRest-DBE4yKCy.js":"07708fe14573ec64e2b3beeea4abc65d18d8b209103df902e7d5879d16c3718a","/app/assets/useTaskActions-CtRYr-rs.js":"852350d36a4a0e1bae2c14bdc83129da643791b1acc90ff967c1ca6411cdce41","/app/assets/useUndo-C-cRrN-a.js":"33943184fdd97e30e45cc97861aed2dc15eefd6f02ebd13c1edb06d89c37d5ca","/app/assets/values-C2PHtDt8.js":"7df37c6918b9ef97a3dce71bb9b691ee36dea5c8bb49a6c079964748747a7666","/app/assets/words-DaggGOxK.js":"ed476a61db9a6c7e96ea87903ed21c7b543cf7e552b5dc549de8e877207c39ca","/app/assets/worker-CnNemmdV.js":"814f77011d197c7c74c823135d966c2c2c46f155e812853856e41018d5aae1c1","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"195bdd253286b0b27a1af626ea2e922105e62cd67b67d0645d5f645d88eb1295","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
