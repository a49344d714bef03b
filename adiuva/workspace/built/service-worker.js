// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "f93315e008469a56";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-BT-etBAS.js":"e2e09aa8d5c9964dfb32107c74b56cdda90437bc5d29c7bef37ea6d64d508bd8","/app/assets/ChoiceList-rEkN_FBf.js":"8dee2a2c35b0e0991e889556e9c792f5c36f1e883e5db3ace2878705a18f9e18","/app/assets/CommandPalette-OnMwpBfu.js":"97facc5141fbb0049673be6307e004aa84ed723b451a6ef47a05843dcdfa6e1b","/app/assets/ConfirmButton-BWyROqsf.js":"d56e7660658e09e04230389ee2a8a17a09c1576cf42943205b27d0ed46464ec7","/app/assets/CopyButton-YL1i4ynK.js":"a62130d588e64f3b8cabd8758eecb32539915fe7cf73fe610881466037515078","/app/assets/DatePicker-BY67ts3N.js":"b8953b0ade81f9e16d29d04fc6b7d2e0968a9e499864885a601c5af1735da6fb","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/Dialog-DdpUsqUU.js":"d813660ca13c43f0e87d94d0ef2f7ca1d2f4b02db2cb2d16ce37ccf43f2247b0","/app/assets/DialogActions-DCynmXDx.js":"d2192df6f68b21a7423d04b37deef72ef6b2a29b6382cdf5e19f9aedf711def4","/app/assets/Drawing-C0eckNh1.js":"b6a75d5472d965c9f793f085dbe1136ed597e3691f3383724a1c59762479bccb","/app/assets/Elsewhere-CnPexavR.js":"29da25b44451204b1ae455cd15f2c8897024bad9cf91e407b54ce4877583df92","/app/assets/EmptyState-DFpaUX-L.js":"741ee87eb62519cb667d61dbb70a33cdecba9be54defaf7e40d1b174d1be9e37","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-CAfp_4z2.js":"858e4f7bc505d3ed4d0fbbe40f3c4af66f78a259d201805858c49cc0211017e2","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-f43PWiis.js":"0ba50cdbff9ab8b9661905eab5ac4ec7d156a6e78409a280ad5c20046594b9c3","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-Da4S1Qkk.js":"85faba5304b213ad46af94d38b7aaa40b3061371a1d96325e65da0d6b390ba10","/app/assets/MomentFields-BpZBnQ38.js":"55b38005e862f52f88d01a6fcb0542cdc2447910aca5c84b4dfc04e6eaae0ff3","/app/assets/NoteCards-o_FSK14h.js":"9dc623102681523376cfbf70229cd812a2b0109b62ea2e278f29f63e6cf550b9","/app/assets/NotePage-DRrJi-0I.js":"66786f8b457bf564a441e15c9ed2840346bd8b4771bff9b521b0a2660a8b6843","/app/assets/NotesPage-DU6fzGBc.js":"6fbc5801b3db28ae2d102a4636f1bc294b7448871457c7e954d3209c9feeb737","/app/assets/PageFrame-D-pPIFjh.js":"50d9305aa6399f6702e9fe2d86782845828cafffd4270bbeafc2889dbf454bd6","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-xT-n7dka.js":"967539dc19065f84c6a23dc4fae83bb3b857100ed6604e3e916c247d9fe7ba86","/app/assets/ProjectSelect-DFqtMpHQ.js":"fb59104621e6cb2e8197344c0aa67bc3c989fe69b4b0429093dd734eef1fa0a8","/app/assets/ProjectsPage-DmQ9Fx6l.js":"3c77ba3374206a14200e5770d157f97ea8b6883bc6feb5907b461191c58211d2","/app/assets/Rendered-Dz2RPjjt.js":"ce07b276f32628e30a8d8e19f3dd8ea8f3bdb5afd7874ebf119aecca07e302ed","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-DJD7vdVt.js":"78c4b8d7fa6d6613e58d603d1ddb9129bbb5b47b0da61b1e7f85deb956318af5","/app/assets/TableBlock-Cnrzcfno.js":"0c5606300935633fb1c8ad18a404396c7faa859c6a9601ffd7113fc966bc945a","/app/assets/TaskBoard-DhRNQMrS.js":"ea41425ec298bc7e759242bf535dbad53e960b7b7b93702c9082faf14bf3c79d","/app/assets/TasksPage-Cr78Ag-1.js":"7cf6e574c0dcc8783e4479dc23b98110268fc25a4a5e00f06b66fb62315ef629","/app/assets/TimelinePage-DH6G1jKk.js":"a453f8ff49d2d6a8191ab5e16180ef55d6e3fd8e5525a8e05faf8ae51bacf755","/app/assets/Unfetched-CCwZFiyV.js":"feca75680f831c37842ab63c8f7912144975d146233f79583f8abde0c9e2e8c2","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-3vJmbRJV.js":"c3af7c8edf5e630914dba9741d59766c1f5b96d2b989f2e9a76dd64c6678b899","/app/assets/automatic-D0_p1nYf.js":"f6865c065106a4f7222a24f08b707800fa02fd0fdffd1c6db9f9808ddc693233","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/chart_data-CVW6PMrz.js":"bdbf5eddb086eb2a372a8dc32c114234998ba756dae11f9bd7c606d80b47f5ad","/app/assets/dates-Dy-MMWDH.js":"0cb22ee319578f212e1423a3de615755bcccf456590725d89593756b31a7cc59","/app/assets/devices-BOJMbPMC.js":"4d39fb43b45eb3fa8b969f74816db7f1db8511839b75e5a208b36fa2881864de","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/export-mMXiaZoB.js":"24ed4f48a9bb85cefbfbf63c23636f6eddf409f26c745eb866cda3d039e2f962","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-2WstXCwr.js":"2de70e606ca70a4c3baf1d85e122ce9d6e81927e7f054eed34f4c6b27ecba97a","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-CR8TcMwo.css":"54120621d3073294f6cbebe6c4f25890d96db342ffa26f763a1aee087cf8436c","/app/assets/index-d-vFd3GT.js":"b7f5318c4f713d61ac4054f9131a2ca7e5834c7702d0222e166254c8129741e3","/app/assets/it-DkPaZkD9.js":"7305691b8778a3e5055f06c4213f7565228544ce62a22935c897874494d5bebc","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-BvhorGNO.js":"2babe3d1165f22d5ce936e023236fdd2dfd9cd69057a44b45d597ae07f4dea8c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/matching-Co2ZJpf9.js":"5c9843df0d40bf9aeb2ff376d255a7443a994f5630bc923e1af0188b36ff7b9e","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/msg-Dfvzj6n2.js":"5a6da1e7b15fa3273ef26e7c989c3ba83fa312711c4b0b703c57839402c2b813","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/projects-LKHqmHhP.js":"90126ee8c7b518da6d2d1dd62727f3ecfc20aa826fae433520e5435927345898","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/read-CN46WMGL.js":"243e75d3d4efc11c2a35e8aab656fbf4967fab7f46f02252c55f7b431257c42c","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BFPfhd-N.js":"11a3cd4e1dcca9a876641b71b97c1680f5fcde384425c4faf0ce7667733ca27c","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-DblvzeKx.js":"e7bf51ea791267e129d297a3da377c14bbf651c5cc9c481b8dbadfeb89ed0230","/app/assets/tables-DwXhPNzp.js":"89aad335446974b68fe334672b4f66baa1180472aeff7da12dbe2d1cea90b6fe","/app/assets/translate-DQ2xaWvu.js":"9f951d07c6ee78b7c516926ad4d9c937ce2288b238d3db0a72cd5fb7a089c338","/app/assets/useRest-CtcKXWs2.js":"a69bc57292d57060b9446071a14a9ad75e3fc00d74b521c9da472d85eaa9541d","/app/assets/useTaskActions-DbeLxm4F.js":"a7adf89ed49704aa25e56aca864e2904e579fbd3b5a0a22461129cb993a4e7fd","/app/assets/useUndo-C9rio91z.js":"cd721d4d640f7b0f786942d35798bbd9f0ea104ff03a17d602ca95f895bbe8ba","/app/assets/values-BDy3j9ch.js":"05e8dca6f881b57f45d03d81d9406931ef3102bf7f3bca995b2e2bbb7ab18600","/app/assets/worker-BKqeE5qn.js":"45fbfc5187d48ee3b96bea4222d7d9fdc248bcbae578a940ee4944613bc0cc00","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"9e9bce430dc84663ae51ee4fb12e76165b52e458ac80c8bb78c4ff61499be9cd","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
