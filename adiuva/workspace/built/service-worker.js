// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "e4a09fbf36d36376";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-BbAY2W2z.js":"56ed08d172c8c1b727a0836a5b2268464c0c64071fe0441ce087ac990aa39bf8","/app/assets/CheckpointDialog-CqaD2ax4.js":"5ab559c51d1a07d8c2dcc87898cacd961149ddf4507c177d336f9d9eec1e8e30","/app/assets/ChoiceList-G07ZTlhm.js":"770de839ee2ccaa9bbc01154686512219de336f322135e01ac0d76239378b575","/app/assets/CommandPalette-DWNTvP73.js":"303a014e9cc0c22b7e4e33db081f76ac0ff414b004163d4aa38d9cbaaff21ab4","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-CTi4pbKB.js":"f164367d2eb6e7a9652b66316d04578dcdb0f3ba785e6b10a790b56ffc0f362f","/app/assets/DialogActions-QDNqx4bq.js":"dc437fe874415404d23fa7dd3b9c9c8e567b4bb0991a47aaa60c4be70156b8ce","/app/assets/Drawing-DwtgYfnX.js":"936862036d2ad9b9d14b98c54f7ba3db411da20420e91f72604bdbc7b9549a8d","/app/assets/EmptyState-DxnhihXm.js":"0e764d7f14cb5a29d2bd26f1f705943cfadbe8cea9a39310c07bdcbb5e2d6619","/app/assets/GanttStrip-B1OUiNJ6.js":"c12bcef38879c5f59540c77fbb85a8a8dad95371a5036d1d7509462dc46d3714","/app/assets/HeadingInput-BosWsbHT.js":"6a4017af5246d52fa017854e19d2f28787206287aa5545c6dc55746eb3695e3f","/app/assets/Highlighted-DhRp6MlZ.js":"291e78371a00785e723b6a16613e40bd9458adb3b5d74af318674518cea3981a","/app/assets/HistoryPage-DKN2kbyp.js":"73e55b151fddaadfca40b51568733509d0905784747c13f1b1ee265ea09b82c2","/app/assets/KeyHelp-BBX8U5gc.js":"84f7d3a0c3d9a8af078e79dc2245d51c8e582335cce986ef0433b40eb2e184f8","/app/assets/LongList-DLXMf_RH.js":"16c97449eacf62d8f3cb4f69f85d2382b76219e7b859edffe9e6c064b24b1286","/app/assets/MarkdownEditor-BTZPL3Vo.js":"413f881bce6917720658776ff91195d484d8599a451e278ac8f8841d23c60e68","/app/assets/MomentFields-CNRLXEQ2.js":"e973be6816756b7210b5f2eb51040a467255942af184d4838cd6fbf293043456","/app/assets/NoteCards-Cp1ND2gc.js":"0082187b4ddc77897899e8faace56e1c7b550b8a80ea3ed96214c51b686b58f0","/app/assets/NotePage-BMnLmWWH.js":"bc84beef9d10ad68358905ccc6bcb407653001ef89c542ca7bed27bc1ef52b65","/app/assets/NotesPage-CFKI6sQM.js":"373b1646567bf993c3e02a1945254f1210a6f20bdb840f41b384aac4d5a91d20","/app/assets/ProjectPage-BdEAy04B.js":"4d02e3b5893176ca1c9ee357c65e09e4419f48cf3001461daddb30764374f884","/app/assets/ProjectSelect-D5ZTqKfj.js":"a5cd41cea21bfeefeacd564ad3815b7920f7074528a38e2fdee9a21ae93c7dce","/app/assets/ProjectsPage-jnccnWTP.js":"ff7efe425d8cdb35b57e653a77a656a95c5e595eb7c9af7ebb1aa6dbd0510f49","/app/assets/Rendered-DSegzXso.js":"58f096bcb097bb7bf202fbab2c5012a0a83cf8fa8ac64ba92124a44621506e71","/app/assets/SettingsPage-h9jehGRU.js":"379ad690585ea0ac9a7d05504a4197853a3a6cd604f6b8a0887435cf2118ff3e","/app/assets/TaskBoard-COQLCtpb.js":"5370560d7750e371576dcf8ae0d669ad0898711bf3356e9a2e8d2cb586ab6470","/app/assets/TasksPage-C9wZsxWF.js":"ea444c23269cea3bc28ca432caa2900e92b77d52e99ac290284a9b98d0c5f61a","/app/assets/TimelineBlock-D971zCNu.js":"b1fedfae9a72ce60bdd2f38e84918d52270c4878d4b31723b1b9348f57f1421d","/app/assets/TimelinePage-BXo2GUJj.js":"ddd70b283c36f7b1f388830c56949557887af7b11f0a80895d17430a1a5d8ab2","/app/assets/automatic-BWZlSuv1.js":"76454ce62d0d48a4902c3a2cc0bca2b2acde479bc47a38854b9e28d12aeb96ec","/app/assets/automatic-DZfLTrSD.js":"c4ea9791ab5b89712c9464035a988bebee13801269070e10c6927657ed357ce6","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-C7XyA-ff.js":"8fe63c33772fa940ca6731bf16f5dbb816077cfa3e88a928603ee743ec6a134e","/app/assets/copies-C3zhSkij.js":"53855bbc2e9a368aa962c907ff161dfc8d450d6d5ef43d61d5b4ae4fe6cced93","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-BxLRyESy.js":"c7817e7fb6048131cfc870da97497e06aa014712495c5037a59892450e908716","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-Dmr91AtU.js":"7b1f9bef304cc86a887a8e78c216f6cfcad9e1561388d9e1debdf264f44d7608","/app/assets/first-BQYF6s-a.css":"7da1639eeb96b783d46ac21853454075d7d0c17b4ef1b1ebd45040686aacbf2b","/app/assets/first-D4ynJfEB.js":"3ec62a77445dd0efcc69a94284acf026651a17e037d6d058cf4193f99fc8fa98","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-B1UppS91.js":"84b74b50a5e437d22f795c8d50d64e4f29ed7b2dbc934badf6f411797a52ee0c","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-pvrWSFVr.js":"d0b6c883623a9bfa9deae1a6c4a37c59a5c8e0df3726d1bbdc7f238909df08c6","/app/assets/projects-BAacu_LH.js":"cd86c88ffdadc9be7e5dd8b4c44f96c7e3f60babcc2053c630a6c50f00549afe","/app/assets/read-3St3aC2_.js":"73f34043ac1665538f17a1b99e150189db0b12d4b6bfe0d5231d6243e97da2dd","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-BZFgqo8q.js":"cacf2ec8f58b79f9dee64b7376287864e2aec30b9c0543a21f824ac272e8797d","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-DyNp-o1h.js":"c77be30e600a7098e7310db92f73c6cf3df83cd510deb99492b39bba44d89080","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-DTsSX2YC.js":"51e7b4622518d5d3d2827a8b8c9779bff2eb0eaf46c820532faca123e1fc481f","/app/assets/useRest-B4vig6HV.js":"211d8861c9cfb8976d2925a6936bfddd9b09d91692cbfc0cddd108e7ab918c96","/app/assets/useTaskActions-Sylt0ozT.js":"6450c167acf653c9e4e5735f5fa212262b381ceafbac73ee97f41b21bf3b36c1","/app/assets/useWidth-D5M5sj80.js":"48fa9f42da4a2ab7f0e9f225d1689a89115b2197b5bbc08bab37074948ef59a1","/app/assets/worker-0oc7SGDx.js":"aa20a4cfbb5facc19f040095fab46ee0faa31301627a12424775ffbae738312b","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"d39a1b125ce477ab0fd21158a6da57075794b4f77584a8bdf1e505e5d1933619","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
