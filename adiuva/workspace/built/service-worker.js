// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "398ba818e67e6aee";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-BVZaw9ap.js":"57a2925c537632038304fd2876fbd880cdb3b6e3de8eced33dbb668daaf555a0","/app/assets/ChoiceList-CDMFxHPi.js":"85d20cc065ebe518d578a71909545c79465a32f346297a32b318c30327b96c6e","/app/assets/CommandPalette-DKGhvi0N.js":"d42e60e38c24c1b96110b2b72d849127dc6dc4ff1b247cec631cdad3acb4e7dd","/app/assets/ConfirmButton-CbtHwTHq.js":"fac69be8a8477497523b1dabc42889e3d69c394af74be75a3eb5fb0456e67a7b","/app/assets/CopyButton-uBneHWIN.js":"e26ae93db72b5e561b2f9aeb102db6dab3edb41c5d7962e678768211a5589ac4","/app/assets/DatePicker-BxQT6ekN.js":"dcca8e51370fa5145204d4a5cdc419645f097ac67855ad8ebe143023a45009dd","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/Dialog-DdpUsqUU.js":"d813660ca13c43f0e87d94d0ef2f7ca1d2f4b02db2cb2d16ce37ccf43f2247b0","/app/assets/DialogActions-DdJNmuc4.js":"71cf519799083ae9459ea6a0cd395c524ca3c2fa9084296a5d09b08416006325","/app/assets/Drawing-BoIYcJVJ.js":"d4a789c23f4a37f564036073906780a64c6d9e8037e07ae255c3742897e76f9a","/app/assets/Elsewhere-BK40MaJ0.js":"fd1aa241f73de4dbb11fe755fac795bc9fc7104444678f799c1c947ddd1a5c36","/app/assets/EmptyState-5zCsrHWe.js":"db4b3c69bc8a181ad1a85261e2411b88aaf9c8bf2d19a0519c7c85df00e93506","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-BH62WeOk.js":"07601dca0ccd8916360e5ec5ac6170d79f8f61dfbcf48f0629fca40bece6e2e6","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-CGkeLTGl.js":"5fea84d5f6f476145afec116ae4c04e7c8c78d20c9830ddcb84965d3b245cec7","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-C5TceMiH.js":"4778e4003c96a27bbebb4bce3a0414884c6df6f390f15ff2a62498879ab23607","/app/assets/MomentFields-D7w4lsLJ.js":"66be5a8dd835dfdfb2824496cac25892e7e0332e0bb5cb5f0513882fd9ba7373","/app/assets/NoteCards-BGxbTGbi.js":"629c831071f4caddbd8d4fd169ad273c7ffaf96c200922f039ee45cc3f5e761f","/app/assets/NotePage-D80oZawx.js":"14b11214abec47f481645334306326ce9749f90edf7c862ea40e1f4a276f84e0","/app/assets/NotesPage-P0zeW_sj.js":"f8c2f214da17cd2e19c6146e57eff0ccf235e56b99dd9a687c7957a67d519476","/app/assets/PageFrame-CTEh2sVD.js":"fbdbc97da7aa8957441feead1c999c32cf4eec90892d1ff3904f5ddd80d66252","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-CPJOhQkO.js":"615e5b2a1860932eab8b95dadf91d9dcfdbc97b15b407b4a5762cd1b2ee1f0ab","/app/assets/ProjectSelect-BgjY_Y7W.js":"70ce546ba5e192e2863994cce3345ce4c0d741b980c469e29e992b129c611af7","/app/assets/ProjectsPage-Bm4DJ6b3.js":"e8089449f566bbd945da944247675e125707289c590a88c72cecd7ed4e964694","/app/assets/Rendered-CSgO_Kt8.js":"ac5d606ab7ab58bc916a6d29a2b0ef9784810b54370e9b1c7f605d0bfb20001c","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-CwFaU1wf.js":"6bdbb761f7f78ac290da33f6819eee760198017fd895b5887f1033d4c0d809d5","/app/assets/TableBlock-BwdVrVfe.js":"fd86431e39e7043b5e09e303fa0e1b71de6a3e6f0c4c85d0e75183e82ba7d843","/app/assets/TaskBoard-DEvVWp1p.js":"2214992cab536d5709c2819b2b017a8e6f0a1ee639e88dfbc8b642c5fad3263b","/app/assets/TasksPage-B6u0R3Vf.js":"9b7b0710a4d30df22f2f2a5e40e5af35252e79438ec1413c4861a470a7457a74","/app/assets/TimelinePage-wv5brk_s.js":"e8776bfb95ecf079ea665c697e2e0a36dc065773a51ccb45292f48e5a8918c29","/app/assets/Unfetched-XcgWcR57.js":"bcb62fe7835405f786aaead8cec7ca224f4a9087cbc7e018634e55be2ec4cc4f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-8LywQ-li.js":"679789b38b3371a3797c64b00958a5aa680316f92b5a4243797a6fe1306f520e","/app/assets/automatic-yoLzzfJB.js":"e1553a074dbbd5fc6b735eef8a3d5d60d78e5ca21a2e8d21e798a2007221aa8d","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/chart_data-Ds22zAKZ.js":"beb0b792a010a5eaffb74c43abe3fec7be7351ce04f40e2b74439f57a6babe7e","/app/assets/dates-BzHeVzIh.js":"dacf49d145041f799b27c0eaba4bdb4458cacfb1dd87c4478f8fa77de4a16eba","/app/assets/devices-o9n7_DKT.js":"be852c1fff5f7e8165459257e533b8721c95eeec2f30f7ec84bb93cbcb3a40cb","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/export-D2YGwTOD.js":"42bd13db46fba707a5f31af823a1ce68d9cf64202f8d7c8fa49eb561ed46924f","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-cr5O5Abk.js":"06b6683030ffb5bce807574372ab94272f66347a6288316c4c72e441c1014c86","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-CR8TcMwo.css":"54120621d3073294f6cbebe6c4f25890d96db342ffa26f763a1aee087cf8436c","/app/assets/index-D8W9NhuL.js":"b37b382298ae7bc1e780d1a68ba985635243fa3f8ba735f5e582cef35ee7a306","/app/assets/it-pjrSRGku.js":"45cd682fe9523f64bece237a7163bf50414c720dc102aec409b946178ef4a576","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-0AgWnAmz.js":"9aa261f1513ab4173272f16a286bd51554055c1dc1befa0df0dfd6a6ff043245","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-CCNbd_xe.js":"d9bdc845e9c35616005a878d39b6b153171c7baf7b3baac0d0b8d867ae0033b9","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/msg-Dfvzj6n2.js":"5a6da1e7b15fa3273ef26e7c989c3ba83fa312711c4b0b703c57839402c2b813","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/projects-LKHqmHhP.js":"90126ee8c7b518da6d2d1dd62727f3ecfc20aa826fae433520e5435927345898","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/read-zXbB7Tjn.js":"2c6f8453a618f4df819bde19274fb8e933db38e7607d37513f1ce15493321fb1","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-Be72Mpsw.js":"5a3dab8fb8ec84e809cd367dd1dc5866c69deaf31b42dc0772b5f7babdca89b3","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-DW8ZY5jo.js":"d38a1a313cdcb5808dbb2e4a634ac7d22718038c2eebc494135374adb4d596fa","/app/assets/tables-DblvzeKx.js":"e7bf51ea791267e129d297a3da377c14bbf651c5cc9c481b8dbadfeb89ed0230","/app/assets/translate-CHbd3Fv0.js":"0124d76b38cd931ab1d1d0317bd09b13c0c5363cad9f93bfc8d18a4b2ff5cabf","/app/assets/useRest-DvZl8ypc.js":"665cd790701cbc013f0819cf9f083649f40d9a782fa6e7150a016e2a87638522","/app/assets/useTaskActions-BxfURBDv.js":"d7d5c874f3bc39fdb114938e7fd914b8dd303ff327354d09c77a8c597061c330","/app/assets/useUndo-N5j3juTF.js":"680f89f1bd421e0552a58e0364bb3b405b50e55fb75d7a2d071ca225b782a62e","/app/assets/values-CkNPR3Zl.js":"235a1c13a92e2f4c6c09caf447eab7f612d35c490703ad9a4c8db2eb05eb6e4a","/app/assets/worker-DZSSP4l_.js":"74c7af9e9bfa27382925dfb33cd96828ab84a55c80a644d83862eefc4586a02f","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"f001ad5f56f7a0873cad8811bfbe11d3081808bb13a152fa8240da63214f03d8","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
