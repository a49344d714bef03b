// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "63c174d318058f6e";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-CqeYqs0o.js":"2fbf8758307e6d7c199881b743dfb536b7a69489f136f0708486db91ef9228fb","/app/assets/ChoiceList-LpqjGGW_.js":"c169ec4efc84660466214864cb9508abcef9c71c0cc1b7e31492d7f4a2b8e339","/app/assets/CommandPalette-CAYUDgLw.js":"e9c0f807543db88ecf939040fffeb60459ab53e16e73fa548351c70e606f2430","/app/assets/ConfirmButton-BuXwUMFw.js":"01c55fcf89be09443e21130056887d00d2c6730ab05c1c92be81ce6ad3a83e4e","/app/assets/CopyButton-DAsyJlFc.js":"3cf489b083c640f20267ade14a57d4d9fe6f4d73bef71809aae20dd9f3ff7a9a","/app/assets/DatePicker-C5E3jIdB.js":"2f9805448733ede0333b6dc15fd9038d6523484ae74b2bb35d17996500de8f90","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/Dialog-Brjp3ZOB.js":"c72d4c73bf89b260e8ae13c52421e3d4f9d10d390971c552508d6c7ea64f85d0","/app/assets/DialogActions-CcfWK87n.js":"057c1501d463bbaf554475cd0d042bd2b3eb37467df4132aa54af22deb192300","/app/assets/Drawing-Bh_RpEne.js":"488ae640942730a8e816d3b793d918026b9f4747e179311fc2750cb443da3ec3","/app/assets/Elsewhere-Cinpew4M.js":"6e0302f8d95a55d15b5e5b76581368aedc6da0f3e3056a321094a6cf32dc8040","/app/assets/EmptyState-BaEOq3F3.js":"91d7be38a081b38b126d26af3015b7fca748fb8b09a04c06fe189f23b0d3d80f","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-CiR5Itmf.js":"4132acc62a2c4dffc4001d799895940ab72e3e50a1e78cc718ba5d681e923bb7","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-YmdjgYpb.js":"1f5d74a746127aa2372a41597fc2afe5d688d6fa0706a5e66604365be540c81e","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-7Z-eXkNN.js":"2cf64c2d3a599fac3e3aeb0d5b7b19796d810833724a5260686855f65e6a2eb0","/app/assets/MomentFields-BX76XyAx.js":"8cbef667ade2b7d830cfe432cd442b70df08d456c299c487aaf16a2f7a987e35","/app/assets/NoteCards-_Qz6sibi.js":"c581aadb960e682f7de9181b22efd2d99b12a24eea136e47d23ce796cc39814e","/app/assets/NotePage-C5GWT9YP.js":"1743733dfa8d0f5a57fa03a74d103b3a258660cc0a7dbc98afc8a2dbb9dde5bf","/app/assets/NotesPage-C5cpmgDg.js":"1910f43ee47cc9c3f4cbca0c8fc3bf66dde096156f8592c7d5f1e6893f62ee89","/app/assets/PageFrame-D6gyiLlQ.js":"c5fbe4425ab4da975961ee8875014a09449fc2cb76f2ff6a62448187a58f70e6","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-_O-_kTIV.js":"263002908c36c1bdb2a1fb5df33df20902f0005fe885d76ceaeea7b1a9f34380","/app/assets/ProjectSelect-BKZmUc28.js":"d0a673bac0ba47c6a86269162f4c3f5cb9a5b9feb93bd13ffb09538672887de2","/app/assets/ProjectsPage-CcX58A9R.js":"f44175a327eea2d69ca3b0e2fe9e1af9c4d52c371c1fd59ad2d1313691f187f7","/app/assets/Rendered-DtOZ4QIL.js":"f7f7fc127d8e26c51b96a5802524a862181cb574dba40f2722ccd3f2ff5ed54d","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-hajNWlOc.js":"15eb73aab600aae5fdd4ed9c1217277e80938351f819002d6293dd4d448a88d4","/app/assets/TaskBoard-DzN5WwSd.js":"4af0ce4f119fd248b5888908ed9e96c9921c25630cc3149bbc15d0431d259bb9","/app/assets/TasksPage-3SKoxHgm.js":"ce14cd025b51fb81d13017b37b69afa72e7b51481d75582643a0cf083b4c3ee2","/app/assets/TimelinePage-DwGvblJW.js":"eb062fcea6d30f9795e498813c8b669329cf194559651f04c8114b269e418380","/app/assets/Unfetched-BagdOqYK.js":"c649057230964c0e66418f966f9b88480b5cbe4841512f0dd423ca07b3e8f800","/app/assets/addresses-DIca7_f7.js":"12a22c0e4f8e8a6d4d12152abe52e87d0abe6810395bdd44d3ad5bddaf7de52f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-Kk9wllG4.js":"5f75ab1c63c0376d00229de3bf0801af89f5db7acc63da48d65270c69d194bbf","/app/assets/automatic-QkZbCnLQ.js":"bec57332e3471cfd41c767aa72ccfb2313ce3c8cd3172d9d365951ebc77607f5","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/chart_data-birNL7nz.js":"abb3e71b849f9c6ff2ee6873942a30c5f6b50ef73f673b37ddfe38aa27ce6571","/app/assets/dates-iakuWq5g.js":"e25605abaeb82535430bc724927ef546307357de3a10ee143243f6918f728e4f","/app/assets/devices-BsOMlNMg.js":"8c687c0b3a9e6fac6ac8097c0f20b03158aed0c98418eaee369c4b29b889d586","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/dist-DlZikmHc.js":"d2b18578261622be2f1967ab4943a6abe3eb4255235e25ba9741638602cdb306","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/export-_oYMUqPh.js":"d5ef50b9f13503a8a259c10670c6d899d9d492d41e741307920a894eed04913f","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-BP2wSFDO.js":"47042ead21ca5bd4e3fcff02b0504e449480079881c1d294ab307d6da5247936","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-B305pW7C.css":"e209392f7defbef7e6e55ea41a48af0f837879c0e8c7fc5c666b2d2990dda97b","/app/assets/index-C4jvlyP7.js":"2ef320edfa26f8918a1b30300358c9c528c9108f1321ba25ab3fcf5b7f1258f8","/app/assets/it-D7o_PXU7.js":"6515894666047ba90953949c7a3c57a5cf2e9ae23fd122a477d70b36cdcd5b99","/app/assets/it-DLTFh-3z.js":"b06226d66947a06dee1e582861d6f3e269e68b27e67a97e5940e5b5bc5996749","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-ChAHGY5P.js":"aeff1a624f59b7d9e7ef308a32c7d4992d885064f91c80fb8609636d4183d0dd","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/marking-Dfvzj6n2.js":"5a6da1e7b15fa3273ef26e7c989c3ba83fa312711c4b0b703c57839402c2b813","/app/assets/matching-DceUMkis.js":"3e2e6cf8d52284579228a681847d499a2222d2c76cbb2d10cf2d3ac607cc6eb8","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/read-Y2nRzIKm.js":"7dcb4002808cd14d239ed83d0a80a42d4051455b02e46c2007bb52393e6d91f1","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-B9In_IV3.js":"914cb80b8da5e4cc59a01d151d152a3cdfcd49cefe9a42c0824b999082099f57","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-DAeL5SG2.js":"9f5c55a3ed2af5b24d7f5f713446c76a837b79f00a444a990e24deb11e13abe9","/app/assets/tables-DVunlYVQ.js":"739108865a699b95f88352299477024ad74557f2e251dcc9e533a7b8086de972","/app/assets/translate-Dy2KXA3Q.js":"6bd15c2aad275b3d5b89e8c2836fd5e05318e14ef0fed19c7417f9df4fdb8389","/app/assets/useRest-DBE4yKCy.js":"07708fe14573ec64e2b3beeea4abc65d18d8b209103df902e7d5879d16c3718a","/app/assets/useTaskActions-CCcSoTQ7.js":"a584d9af92e8f52bb887d6c07a810cabd22ff02b088f66eaed18d974a7fffdee","/app/assets/useUndo-Da1-8soz.js":"0e9f9d82e70634184dece9d98a5c799482b167ebec0f3339b312f89406560013","/app/assets/values-D3sc4v7q.js":"6dcde8ee992ace689be14ad3a8270629c53d616fc4ad12fe0f9bcd3dc49686e9","/app/assets/words-BDZFW_YN.js":"04e6784ca46613c165696eb34c3119f9393a4d9d55025262810fcae847dec1c8","/app/assets/worker-DsBBkRMX.js":"05c43eee3255a62844d262cf97a7b557f4d2281c6262eb30850188ef60a52cf0","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"51ffd9af8db0bbad89e521f4c658ea8c19de5b8f2fc2d1300ef2a2278e8f1c96","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
