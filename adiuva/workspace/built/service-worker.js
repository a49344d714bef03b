// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "da4ab21523ef1efb";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-iPYi3izj.js":"ff572a5b3fdd0849c3bf67b836b50d073116194f5213988002503a4cd8b38b2f","/app/assets/CheckpointDialog-DpqUxzFb.js":"26d9f5ac852451813ac6ec3492d4e5b8b8373097dbc6ff1dee4e65329d235e3b","/app/assets/ChoiceList-CdQUi3z8.js":"8b70a8fddc8efa8c21e998f59645d6b434e98c85e4985dfcfcb2b4d354b9769e","/app/assets/CommandPalette-CmilpJsp.js":"3add2b2978e0ffbc29085c4604f5cd04958bb65607369efce6507b73f5fac1a8","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-DrzTGv-F.js":"4a3604d94e44394d7a4ae9c30c4a43516cf6b2bc2294da2d3d7046f8751f8685","/app/assets/DialogActions-BiBTX76q.js":"5423711c7efd33c5874b3d6ed6024c0c34a6c1376787085e994a820239cc4ee8","/app/assets/Drawing-T4JJwz5c.js":"a0afd44caf6ca27fddfb62c3bde745cabb5fafd3c9fc9dc375ef18f679120f37","/app/assets/EmptyState-r_9aRCKK.js":"5c80c0d62a9005b1ef2626e0ce59f20c533a4f33999c60527b78869bafb94332","/app/assets/GanttStrip-CbIALaxp.js":"f11b42278a6edf86695b7cb2c652581439746c2bed5bd223b2a34bfd0901d76e","/app/assets/HeadingInput-DADlw-rb.js":"7b357a7e9acc41dcc5e365ca89925f1fae80d5c8725c0cd0a7e8a87f76bf8d19","/app/assets/Highlighted-CT7l9NrG.js":"975fe1a51ee5e48d6e9296b4cfc92de588aa0cdeda1befa207351280452e9a80","/app/assets/HistoryPage-Ck_WTmhH.js":"e22847c95128662da5cd7ad4c67e75bdf73c6a2ce4174cce8dc923b03127b446","/app/assets/KeyHelp-DGUOdGt-.js":"28c92986d91907258bfe1f2b96053ff8c0ea83586551d347156ccf94655a791d","/app/assets/LongList-u1YBPB5t.js":"45b22796c796822aa25179fa59aab820c62a3c577cb0262f847a6607ef6be89f","/app/assets/MarkdownEditor-uCmJLdHn.js":"a2f5f36d93c9a775481f5444a0f33b775a4487a727c4cbb8bae32576fc4390d1","/app/assets/MomentFields-CeKK9jqd.js":"a47e630fd94800e29a8f45967568caa2e912649e6d7b2971e572f6a2d98b6e75","/app/assets/NoteCards-DvPC7FGb.js":"64c3b82c85e61e18a1bf9f5ddf3eca557b12922ce9133f1f5ef0d307babcc747","/app/assets/NotePage-DKZtB5Y3.js":"0246deea741a975b6b4627260fa9bddf2471d05afb85d96c71f3615a7f94dbd7","/app/assets/NotesPage-vVyHZLrC.js":"07f10a6cb920432a3bb7c462de945dfedd915370d7f070000860acc36e8b9be4","/app/assets/ProjectPage-DF33C9yE.js":"355a72e8ba656434ef491305d79ec44dae760a1313e57036ff98c0a52913a8ec","/app/assets/ProjectSelect-DiRDSSOE.js":"a7c982a2348f541d34472686bb743a21504555b660b56fb482d27fedd51f3c20","/app/assets/ProjectsPage-m3G1P9YJ.js":"0d76d1df63e08058e119494d163588267fbfecd861e64d3426e0ee586b6b3331","/app/assets/Rendered-BSJHApuQ.js":"ce6e0bd04b9a8c44241fabd6ccf342595ebff7103dfe8c783e1b3ded10b27847","/app/assets/SettingsPage-lidqqznN.js":"edfd47162ef1e76da1adbd36e825658dcfc951cede266b8737f4c5681062aa1d","/app/assets/TaskBoard-BOZ6O3v3.js":"29de1b7781b03fbb37930073d8f00bed45f85aa0a0746b8d2b2362903b5b5a71","/app/assets/TasksPage-CNpRFPG1.js":"6a7aa00ef23f22ac32e2f6b452087756bfb830449564c0970f689850ea5f4365","/app/assets/TimelineBlock-WfnR_xmf.js":"6de8b7c5de856448691f75d5edcace777df2e6c7ae373a135ab2614a001d5172","/app/assets/TimelinePage-DFoCI5MM.js":"f4ce85971f5ed3840ebcbac632ef55a41d46461032d2d6d6d0536971a47ff759","/app/assets/automatic-KRurA4Rn.js":"b223b62723a148b17963f4f4de45e7510413c170cd6d7a67cfc19bb1b7de164b","/app/assets/automatic-Ku4ZAQdq.js":"70a8e2439fcd74f5cecf2b9758e422023e73648630b0b03f7cd9bcfda5ead66d","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CW_L2Ovu.js":"d1deb56e92b74e63a691905e1544715f24649ebcf98bcb73613e2d5babab32f2","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-C-lABdKj.js":"ff07c6c54b6a897ba7249a04eff58769af21bf8b018b54fea303973e0a7bf24a","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-2L9QKz_H.js":"211b52f2a9a36286dbac2b0517b1c31e0a6bf81abc524c3b0109772106997e9d","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-DeHKYeqF.js":"9f2b2563b4f92cfd9ff578c38343758ff562357d972f2bc2766483f074c3a749","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-2JUDSrj4.js":"d622f69fc0cca1ce30dd501c97b51659b801d6cf31067c7f07390a483cfa4dc3","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BOdJgaC-.js":"20749e3afb732b9646a7e1b41ac8198bfd44858ab6d88ae1fd0012beefc6831e","/app/assets/useRest-D1pRwv_A.js":"21b1ad43e34378d4d1a67aa3d629db0f313c064fe9a881090cd12f34445e0723","/app/assets/useTaskActions-kbrFEn18.js":"8f9a8ed002b6396aa8b4b6c6f6244182d244d89ff14cc49671486481e9fc4338","/app/assets/useWidth-BZQAsH62.js":"aa3555bb5328b73b91f0e2bff7618680e132dd1e04de183f8654728f2db2c222","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"323409a8ae7bb861e197602977fbbdad7f3f80cf54941152010a2f8a6f4305e9","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
