// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "58c9963269b486dd";
const FILES = {"/app/assets/Cards-CQqBqZDy.js":"bacd8c42c71ec813c45210398822b62ff519dcfbb8bd7cf6398172785b25baf0","/app/assets/CheckpointDialog-B2lnwFGF.js":"557b5b860fd43c96233c4c4889ea2dcecc1cef0da1061ec22aecca26b8ea67bc","/app/assets/ChoiceList-CIm7HgtX.js":"f41665b7e687c513c71e69b26b401fd6a0399724fda04b6641d24edbd6ff5eca","/app/assets/CommandPalette-B9j2Ub5i.js":"263f7b9e09486fba621e1f81d035fcb54ab2da1ae99929d5b36071ba45ec5589","/app/assets/ConfirmButton-BuXwUMFw.js":"01c55fcf89be09443e21130056887d00d2c6730ab05c1c92be81ce6ad3a83e4e","/app/assets/CopyButton-CXv5BnJd.js":"5f8f7b54159f23690bd583920ce4e91d078cd1b0dc3590ea00f9c2d93bd03ffc","/app/assets/DatePicker-C9tTlkha.js":"fe2e388a1cdf42351c9f19d6e86a506b70830b51753c11a3417bfbaad1924b24","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/Dialog-Brjp3ZOB.js":"c72d4c73bf89b260e8ae13c52421e3d4f9d10d390971c552508d6c7ea64f85d0","/app/assets/DialogActions-CcfWK87n.js":"057c1501d463bbaf554475cd0d042bd2b3eb37467df4132aa54af22deb192300","/app/assets/Drawing-C7PN72S0.js":"6154b20ded20df4ee86241aba420a6cbdda3a892299370ceb591f7d436e835f3","/app/assets/Elsewhere-D_CS9Leu.js":"70c9094a10ba7a331cbcb6f03162439929886dab36ca7ec92cbbb7ef5097623c","/app/assets/EmptyState-Cqg3G-Zr.js":"08e0e101cfac46da85697d1e433406d0f8060dd4d4e100a718670d19efe1d604","/app/assets/Field-or4zs4_1.js":"6a8cea92e584183dd81da60e8ecc218440e2c01877307912644b3cef998cdf69","/app/assets/HeadingInput-DtTTp2Wa.js":"f9df4dba88631ac397645d7f9a24f4a80219b6fc334d125e97d97a57903609c7","/app/assets/Highlighted-C8Y5uezn.js":"a5142afa471b67c81cc03c6205c1e19f15f93aeaae6b9d6d4d1a9cbdb5c25451","/app/assets/HistoryPage-DDwa2DO5.js":"1a04b649412c6ec1eb8b6febeb90d255125c66aef29e8fec3ca71640a883a37c","/app/assets/Icon-DcpEaxOf.js":"fb4024bc4b19cd7e3c5a11fb8b710e7352904d9903f3d22cfba3ca0b59950b54","/app/assets/KeyHelp-gWHQBf7C.js":"1926eaf0c68e841e0e7f8512cebf4273610c87e96a13a30274a55a35e781a53e","/app/assets/LongList-CaZHPA2p.js":"2d0a30470a0121f6b46bd6c8124e05f148b10f20f99a207ff1e31e44efb46a8a","/app/assets/MarkdownEditor-CbFvDCS9.js":"1b494d6cc97db2610030e0ff5c099ab92957117955f5131caa762eb7cb646530","/app/assets/MomentFields-DWMFvgMY.js":"57a7ccfe2d342708a9e147d09ff2a2f161f5a1b889f2ce88011fafa56183c129","/app/assets/NoteCards-Ji4EnafQ.js":"2996dbea2694c2081135a6bd6ef3b38b41570fcab2ea29b3bafd957fc66609fa","/app/assets/NotePage-bJ0jnjet.js":"727d4092e3cdbbf99aae1e9e16c37d13ab0293ba91eeb61629bcc5382b5cc170","/app/assets/NotesPage-Dyc4yaR3.js":"da1b2fd815345ce9937b3d163cfc2908bacb30d63698528b449bae17c33fadda","/app/assets/PageFrame-CYOoAokP.js":"4d013793f276c094a61fc57be3a730aa0247520da8d8d576455006d7324f8348","/app/assets/Problem-B5YCw8nR.js":"02c16b34da928860e476347c78b7cec24ee6ed1a0260eec0fd05997687ab7c2c","/app/assets/ProjectPage-BfjYn4oZ.js":"35297a7ea695b88f3a6938554916b8aa36364dd72145eeb41c5c3fbdfd8d52d8","/app/assets/ProjectSelect-BKZmUc28.js":"d0a673bac0ba47c6a86269162f4c3f5cb9a5b9feb93bd13ffb09538672887de2","/app/assets/ProjectsPage-aEBJZqOd.js":"cd6b58458c194557468334329d85c63204186c86a77c2aa6bfe433c8fb953042","/app/assets/Rendered-C8OjoUaf.js":"eb3bd8fdae1dd01a03a5b27718e640fff873f5f678101ae12496da0536447624","/app/assets/RpcProvider--ur25FiI.js":"fe0152d17e55195eee9bf0caed2fcd254e58caa65295f6b8604b74e87d2a4b18","/app/assets/Scroller-YG4zrg4s.js":"1176a34a52ac7c7dcbd04ab10c8196d34c4045bef171094b297805967f0e479a","/app/assets/SettingsPage-DMLQJZCk.js":"6a2d6ab9744538f7fd889d74784884215dd387da3e769a33aa62abe791267282","/app/assets/TaskBoard-CmOon-AP.js":"b0b9a89c83606b0fae5bf52f9758bc2a3264caa57638033dcd4d1e88e0049629","/app/assets/TasksPage-BN92JuT0.js":"5f06eadc9c21c86735e5eb6825c0941ea206de50f728be6d45d33bf1f1d4d62a","/app/assets/TimelinePage-BmwJVUcK.js":"b9701dc076506fd9cf35531f50b48ea927067d88fe7f4e8653485f1852ba17ca","/app/assets/Unfetched-CldhaR1p.js":"502cb146d0fb72f526cb6733a9a099396c974a89041cc858a35f92c36a0753bc","/app/assets/addresses-DIca7_f7.js":"12a22c0e4f8e8a6d4d12152abe52e87d0abe6810395bdd44d3ad5bddaf7de52f","/app/assets/announced-mx0a5Eq0.js":"302ede9bad56b570722576f29a3b4936dd4fadb1ebf396eda0c24bb805ae1884","/app/assets/automatic-2-A32YMg.js":"83dd37154fb5829e7fc235c1179de5034a17a24dc51954cb855ba647f547d4c1","/app/assets/automatic-Do9E2k2s.js":"b611cdddb2fd66bf72c13d29e852dcfd2d642323d828ca4d0a6080db54879943","/app/assets/chart_data-BIiphj4_.js":"02b01e47f09a588afeffdd754dd0475939cb7deaf44eb1b64585de8cc4d39551","/app/assets/dates-Cns2HUXm.js":"a33cb22e7bc52d66154454c1fc90fdc2bbabdd267bfe9a29bff0ce5c4fca9ba0","/app/assets/devices-DZ8pFlbC.js":"b83e339da81585e523292f2634171aa37f5e79bfbf125a4b30afb7cbf9ba8a11","/app/assets/dist-C1JGVjTM.js":"040c9d2e0641301738267e20d1978f5811ef0474c3e0d3389a5ac1664f57cb46","/app/assets/dist-CwjFN6Ta.js":"aa3ff84eef62167702e5679419cf822dfcb38bf4b19209534cb2e49f7afb0fcf","/app/assets/downloads-CbyOyPAx.js":"c94b01b3e691efd6e95ca2c3919808191c1456700973867214383efe03af6467","/app/assets/folding-Bj0dt4Bv.js":"2995c03881b598ec8ad7f3369427799158f88ddeda92e08c90614f695fdb1ac7","/app/assets/formats-eNVKLHfT.js":"e4f38d343dd4bf2752b14e9cc492f46ba053fcf9450c2642ee23e5af95926c16","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/index-D31WlhP5.js":"1c086e2828a41669e67ed82783e1d561d9cd9975525d5a153f0a3d31a45bbb05","/app/assets/index-Dpijqg0Z.css":"f5f42a8aea41ab436d1183c2cd2f8fbbb3060d1dbc0a535311c8af9a49f3ef5f","/app/assets/it-C-LJf8hT.js":"77b64e349e701d9a10078809314eb1cbf54a3257e4cd83ec01b229b0a3fc76ed","/app/assets/it-D2V6A3QG.js":"0dc7144fa656eddaba9d536d55e0a7f0036f72f3569365874035738808c8f051","/app/assets/jsx-runtime-C3cWAN_r.js":"036e646de62e26433472179f17fa666f8dc6728243a5551af4c11c86b53b2774","/app/assets/keys-Dh_YyBE5.js":"f42e80216bf58e220d83a0cfa3d9152a889f15cf6ce09fc028a13ecc23332561","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/messages-D8XtPR0y.js":"3e60ae383d1e5a27bf4ac0f8c9889d5b1ad555489df52a057f7bfaee4465c684","/app/assets/passkeys-Dldj5_Yk.js":"1d548fbabd7ecb28b9046b4c9fe8828447a28cb9cda2db6b327273e7d4bd3dd0","/app/assets/ports-CkZfX8p9.js":"4e5106737c5da9b1aba8b2a16df871c802dfa3698a0ec4f554e8f45542fba543","/app/assets/preload-helper-DPkQ_svm.js":"61a576f5e14628936fc4f414a26649856c149134fcbb6d3c981f827666d8ef1a","/app/assets/react-dom-BwXff0Px.js":"0faf615397ca3341062f208994bb428592ca40ebbdf970372a6655789b133536","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BowPgzp7.js":"f224258246ac9604f33fde1e1d23563a8d7c8c6bc8117ec3005cde84eec5c693","/app/assets/shim-DUU_BncG.js":"fba0b22683d077d70dc9b8d3ef4fe46bf634369827d113d2824fed35264ac855","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/src-C37dYieR.js":"d296793d33f34bc29e23f836da08df85addf28c1c0fca7a5589c4521fbbab637","/app/assets/tables-DAeL5SG2.js":"9f5c55a3ed2af5b24d7f5f713446c76a837b79f00a444a990e24deb11e13abe9","/app/assets/translate-BBL9SYpn.js":"dfedee7e5b99f52d1a739c8d49fcc2d20a3c69b634dfb8bbf6472b4801369023","/app/assets/useRest-DBE4yKCy.js":"07708fe14573ec64e2b3beeea4abc65d18d8b209103df902e7d5879d16c3718a","/app/assets/useTaskActions-BUUr0qTC.js":"7da5f73939a950394cc0700e3d702af08e0d023a7c9b08e025a34bc8da666423","/app/assets/useUndo-CKh51NwA.js":"51f7e5c27f19fa20f90bb540b1d60d3c55f8481381715b7da471ae5fdcef0d4b","/app/assets/values-Ch9fPkiG.js":"e042033afb7baeb32c89564b8b05ffe2734d88ccf3ac73e50e0238924a729be6","/app/assets/words-Bq6mGBXx.js":"c61631d88eefbe63ab76d276f8e1d89f69d7d14430817891e117a2476300f568","/app/assets/worker-BHAEa74B.js":"5780dc923c6f8b89d104584bbe11ed8287f410c6bbd324a4204335537e239b69","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"8abf19c6974482870659ee3a4745ffe525bd9c3c3b666882c0ec97ef498079c1","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
