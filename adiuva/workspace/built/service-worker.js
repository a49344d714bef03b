// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "7003efb7fb085657";
const FILES = {"/app/assets/Cards-pzaPbUtI.js":"c0725181530c681fc470eed666dfca9186ed03afc3ebfeb331074cd4de090776","/app/assets/CheckpointDialog-BZjAVgAa.js":"3560768737e2949ba9a61dcbbb497e8b6fe5789ec9a821effb2e6c9afd2c42bb","/app/assets/ChoiceList-LammqkUF.js":"3449d638223c50204fbf763ddd98e3b71d7a58ae0b7e9e4136e50fd04a4707cc","/app/assets/CommandPalette-Ckg1t0R1.js":"4f7367f9ad7e64cd838a75bfc3fdd7c3183faf0f703b709aaa54f721160cd082","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CO4mrlre.js":"ebf94aa862c5fce1d6cb68d417d2bc259f2474a3bc2cc60c2160c6e839941f7b","/app/assets/DialogActions-MiWgBXY5.js":"421ed5894e21e1b854637d919e9c541253f8a70c13f75e588eda4d662d22506e","/app/assets/Drawing-CGcs-6Qt.js":"9c27bc0bbda33adbeddac52a48a3e047e42698b32445d84f6922116f3b087be4","/app/assets/EmptyState-DvkosdAk.js":"e589e32b6def938131b7315575804d5c7bccf3eead1cf96599c0164e9c6b6c9f","/app/assets/GanttStrip-DdjhFY7j.js":"22500fc42aa4e2a0524d4a5e6851f676cf57ab51bb5a40e19005453de3d1f125","/app/assets/HeadingInput-C0rgtWeT.js":"95c5f8dbf8f713ee8a316d953592c0a9c583295bbb393b28f8caa69262443ee6","/app/assets/Highlighted-Cd1OiZMJ.js":"428391f419da3d6787614855cd000edc591f7afed50c8b971a27aa5b2b281d76","/app/assets/HistoryPage-DH5x-Gj6.js":"6752132a32aa4653a7742b6e1f0c71a6fcea89408e15ab0f44bc941aa6022e48","/app/assets/KeyHelp-FxRVMNVm.js":"8c18d3f4ee7c5e00bc13c074a5b447c76985597a53e64089e5d687cd1d0378da","/app/assets/LongList-BFh3NP-L.js":"ab97d579d530dce4584ede329cba1b0ac8b89a49b6f79f0e3615c6c9e6fd7fa5","/app/assets/MarkdownEditor-CS-2LgkT.js":"848f8b31423ba4cf9521bd3a7e8f2c9669f0b82da7f098fa19218852195aebf7","/app/assets/MomentFields-DllA7_sK.js":"90c923d013086ce02582a0da374175b3c1efc416a42652057942755c07525f21","/app/assets/NoteCards-BTWNtYWa.js":"cde9941e4896f9597eef5b4f78da55629c2789c2f47f0e3f213175ae8bca816f","/app/assets/NotePage-CbGFlo3W.js":"936f005cd65019beaaaecda222597c103befaf1e1d7e470f1f39c601d1d3e8e2","/app/assets/NotesPage-BdlnnTUV.js":"3b2accd9b4769c06a3b1cb3b6f1b1f2541990489ed3bc116c5ad11fb311e2a28","/app/assets/ProjectPage-B-bDIX2S.js":"3dcc1029738d1f1b2d359fe826b8a4d1ed96ece6c7cf449787afbd0412fa778c","/app/assets/ProjectSelect-cGWm5xzE.js":"ede9dd6c62aeb0d53e8afcb4d2586304518d786dc445ee6f05a172dc6e1a89f7","/app/assets/ProjectsPage-BTQOpAoB.js":"475bdec8d80228ea1747dea38efd4bdf3dfdc93b6ca70fa59b050c9ab869fe1f","/app/assets/Rendered-DtVn-NC6.js":"9390f754b3441db64d7b7c24cd6af5fe05468b254833fc364940a0a68fa5c33e","/app/assets/SettingsPage-DlPsho0Q.js":"da88f6b7b12f648058c7cc14909a989a31e47e9f4939a49bece9c28d4ba1dc3e","/app/assets/TaskBoard-6Z4t8_6j.js":"22bb6b48a6f77bd03fa46c6f9ea392ac891bd3b6bc984af45c70db47066088f8","/app/assets/TasksPage-CkToiEyw.js":"0e200dd35d419e18157d4b3f86287b4c1c07365aaaaab2e2614ed8431ad8a918","/app/assets/TimelineBlock-DXBY6TkE.js":"36b3c7e6e8820778af869cb091a55273ace8f7866f9ac9436511bdde1e05b28c","/app/assets/TimelinePage-DDOaSwbm.js":"b2c2a6891276a7335b10114ea50cf3170bc58a245b01972c351a3c6b477ac5c7","/app/assets/automatic-DGhygWt9.js":"b06bbe67d4e00e61083328bea30e76631388310cce2db4f4220bec5f331f5b1e","/app/assets/automatic-TBOp_21a.js":"71f223947b1335d28636a7c8ef5db26a8daf34492494ee069d9f5aa132006f52","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-D-p36vSN.js":"bdeebbf1173834d4efc8997dc31df566949536fcb81188224eda00572ce230c8","/app/assets/copies-VqUkrAZN.js":"6a6e4661a6139c7e309fe11a4916f34954b955967b34b68e173bfbe535e4abd4","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DrlCuiO2.js":"ef47266b48611ed543c0589a445a819b1d4f1641c8070e11540d1636f5900fb0","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-B-ncuz-b.js":"643e55bfd3e0e018308c3574f1ab5c3da4efc8dd91b58488e80f62b2e4acf5a4","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-BDYVl9yS.js":"35c19973216afcacbea661c34b184d86b48500f293ee19e84a2cf99b7f4f9cfd","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C0srTA2U.js":"4808e973ff203beb3360090b3ff053886ac9e5a950751f82f794bf7bd90d4a76","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-CorvHVHa.js":"14f53addff2e1187a5f29187202833fe49b37478ae62c4c7b2a74d49f24b5108","/app/assets/projects-B97XmLQW.js":"abf372cfb567342884e3ed319054755acd980f02af32780bf3faa5309b6eabf4","/app/assets/read-ycbQTesg.js":"39316200149ed5f64a547d347786a59962baed8eb581aadb05758a4c98fbfd3c","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-dOSX6FvC.js":"ec1c317911332ccc12b477d8fa409ca3efa5771786d7cfdba669c4e7f27a9f83","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-BCWl1aSb.js":"6290d8d46ff76dd22f76dbef8d7fdefd724cc95945514447e35428849197a109","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-BAVtdehW.js":"a423a39ab498a4e0982d06c3d74ffe6724c0116d1c68c6653523c92af072d558","/app/assets/useRest-BspVnzeQ.js":"3279f2603fcbd2927a6e3624e9e738877c3c4ffd4f5e93bba21d882c4ee35856","/app/assets/useTaskActions-OLbAeGfU.js":"fe002dfde6f8a5a950cafe0bb29d333bd1ad48dc0132681f061bc74b36e65446","/app/assets/useWidth-DmDpwe5A.js":"c316b60d3b1cba39cec0f3709e2dc42766de040ad3fec92f0b09b7c7fc2d3049","/app/assets/worker-CUbVaX6p.js":"21be21cb5d9e48500d4ca7da2c994aeab14d5e4a96dd81c01ed6372183f67cd4","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"6c9708c2c3e5eb346778c26b4bb72d91b2124134b98f656420ce9bf67e41f8b5","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
