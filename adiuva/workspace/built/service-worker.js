// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "f68153b970f84c01";
const FILES = {"/app/assets/Cards-B1XUhQtj.js":"fa9efb0a8dd4673d117c8f0557be9cffaaf4b66336275c54ba430ef1bdabd644","/app/assets/CheckpointDialog-Dx8Pv7hy.js":"74682b2eb5add30d91a3baca0201df60a5f70fc67962c47c56b50fa0a2f271af","/app/assets/ChoiceList-C2evyeyX.js":"8cc154ae42b7c667621243aadb1d7b22b868f5b8ab8044c57bac37e9ff489c97","/app/assets/CommandPalette-DyHjiVSL.js":"c21825096322132a56208cc2d417bc396406613ea41c2daa6441001b4032a5e8","/app/assets/DatePicker-BdQT6IRU.js":"ed867f8c4f7cbe3702838041b19a8879f6fc24a72e79befc39389df54bd84526","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-Dv9_5iBQ.js":"5876a7d5de5bd5d1e0fa7c9702bd90318224162cdedb9b042455314236adb6dc","/app/assets/Drawing-W1jiElKd.js":"ea9ee58fa788d437a5c388197a68dde7308093959c03e21b63877558ef4206b2","/app/assets/EmptyState-Du1QxWA-.js":"b609754fbbc75d536c6ea8387cd797ef1c19235cc0786e9e1e8eaf25015820f5","/app/assets/GanttStrip-DtmJYp7G.js":"e376b820fb510390d256b318d31775609bbbb15b322fe87b51d47d5168500e9f","/app/assets/HeadingInput-CSyUWTba.js":"22e6419d9c725b1dfd3d4a3a1c64e93a173323da1c33d6fafcebb63c728694b3","/app/assets/Highlighted-q94E97gG.js":"9e72921380f26445f2955b43f6d89cc8fb1b897b15c8f273e0e54e2c65528238","/app/assets/HistoryPage-BFfWnYuW.js":"306b89a9d92e3da5afb264108c0b095b1c04829b34dcdd4b5b03e1937d5d8728","/app/assets/KeyHelp-8SCNPSLR.js":"f0e88b1cef84745816eb2915180ebf43d16265fd8ae677ea14b6974093e006dd","/app/assets/LongList-D1_mNsbM.js":"1b6af4781d41632eb5811a41a9fceb1dad05566bc0ab5d829e279ad26b3df975","/app/assets/MarkdownEditor-DEqoxQTW.js":"eae227e039a5b63c97e3e5b59272497f34819293ed140a795dcd49cd87371e34","/app/assets/MomentFields-Bba_CtRg.js":"dd1716a9c82a94e275501a32b6ea54a2367062d46701419818b7f851e3bf49f5","/app/assets/NoteCards-OWqWu130.js":"9fdf1393810361fe47c3e3d1b0ac48964d392fdf64ba981edf659b268f551f9f","/app/assets/NotePage-SugBJKpL.js":"7698b72abde3fa1c42c8f2067314e12bb8474bafea63e0bab112247f99267c14","/app/assets/NotesPage-DeyoijzV.js":"235b18a7d9a1ea4b00a5d67044c2ce2b4b431b8f8c2b3687c1d5d30f13be49a3","/app/assets/ProjectPage-DsD7Sl6D.js":"83fa6bfa7cdfbb2f9339575fd05cc038e09998f5a25492d568c9d81b69fcc88b","/app/assets/ProjectSelect-xVTEF4ow.js":"7f698621b000bbf169cd71e2ffa55d8db9ffbfbfc1d7c6b0d39397b1c9227665","/app/assets/ProjectsPage-CRWBCc5L.js":"d942ff2c58368b2e8f997c96cfe03ae459b74035ee5c4875fb7cf2af42ab55d3","/app/assets/Rendered-BKL4oAkW.js":"ea02d96e754608876a8fc8086bbb95a0cba1b6d5b5b25629ad0a105baed51bf7","/app/assets/SettingsPage-B876W1MZ.js":"c4956466eefa2c25c4a9578b2c6a32296f3392acf3e67271900ac9965fb73467","/app/assets/TaskBoard-DWyvJa_b.js":"479bec70846791be5753caa6e030b72d71e19e9ed8cb03e8c07e335391d1201e","/app/assets/TasksPage-CGLGezvz.js":"b1599714f69970011e8964a29444aec59770b28ee0f43c3b11473da0b02935a1","/app/assets/TimelineBlock-CErT0Mns.js":"3c72318c19f1ace551d155bd797b29c8fe24aaa954c2aea82e69be188db64acb","/app/assets/TimelinePage-S-nYrLF9.js":"1d58bbcc0946d1f4ac7888d602ff9ef436797138cbd5f26f805823e589b51d70","/app/assets/automatic-BWswPUZ2.js":"fcfc5058c4d4e8a81f7a8e7c68fe2db61f3496051d0a2cb1cb691d8459e781e2","/app/assets/automatic-CS7lQpCZ.js":"16b7b85b392e5ac144cf39496f819c88ffd7504b2f519ed41a5710eddb789b20","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-DpkxNnZq.js":"bffcb0a8194f616b1cadc322de9648b84d4be694fb7eb7980ea3a322f0f176e4","/app/assets/copies-Xla42IXN.js":"e5b92990ea49389846446b6bcfd4794c819caa4576e402945bd8ee01e789717d","/app/assets/days-CXmk-GOt.js":"a79b9fab05cfb14e89345a3fab63b02dba8476e1a3593fb29989f8f9137bc707","/app/assets/dist-DScXweic.js":"3556256b9fdc1a4dfc85c554c970d02b52a10b73feff329ce84395ddd8f4b85e","/app/assets/examples-WZMhrNm4.js":"04d92332c2b1813d68a525f04766bbda2ebf8192e59eb26ace4079d57a35e661","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-CiPDilkA.js":"85af28d0d70fa1370720939b9181cd3d756fb4f122410bc8991a864b78a96885","/app/assets/first-B-NEDZk4.css":"713aad8b32dcb9ca42c6e78235211b08352b6463419046301c1856bf2144448e","/app/assets/first-C0boh-_l.js":"b9087a2be0eabbb15c335edea7e9f807d29b1aa8bf1966c441696579d92cb08d","/app/assets/folding-B2lbW3yw.js":"50d84d36ae2da8c181b5a1a4f8fbae8b11214f8d5f4e48d9beb13b2b53cdf91f","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-HcL_0Znd.js":"29b4ed2e539f3711d8701fcb8092d60d5272280207f758fca95e3ad03828f8bd","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-ChhMlC6c.js":"ba86dff0a6450060a967ec083f963fc415e27c3221af5e260e964fd613d53d65","/app/assets/projects-ZqPuOuBf.js":"8cf3bcd21fd35b5738022c075f3f14eb65e68b195f8f87820cb550247a19abc2","/app/assets/read-BIqWI1nh.js":"c7a59cfb0bd9ad2618d6d3488fc598c1e12b07fc2442ff0bf0eebf62e9afbbb5","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-C8WUcMhq.js":"d0554e0e116ab95f00bebbd1708553fbe5bc787b3d185f3b13537dddfa8ec2a6","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/tables-CJOLI5ek.js":"ae684c871afeefd99ca82207c9817871bc33e598c2f75bf09165f84c7c1a2043","/app/assets/title_links-BAlyGDWl.js":"1c961a240fc4add5ecea54f0dc4004f73cbfca04a10e9937748c61f2878de874","/app/assets/useLinks-Bj0VoDjQ.js":"df6c7d10923590bcbe34266289f16a75f42a8075d36d913bb1072cce2a2735c0","/app/assets/useRest-_KlM2GvQ.js":"95bf74e6a1032708b7323f70938b8e27ceaa2876899483ad913be392e2b1607b","/app/assets/useTaskActions-C7Yu2ZLQ.js":"8e7ae3206d0587d965b371cd8f3a202c59346357fb959a9715fc2559ea9f885e","/app/assets/useWidth-Io7sxtIK.js":"8711ad51ab537da995f124c25dbf78c07e7889d8c1537bcc48f9c7ce0f0f059a","/app/assets/worker-BiqJ9jNG.js":"25ee860c6b18a9f1f419854ec2844227244d62f1569a7ee861028f30765956f4","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"a521c6bbad79e96e8514384810c090484b7b1f6a6decb27207702c3f885e3651","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d","/app/theme.js":"a4cbfd5a64806810afc9e9f50904217dceb465eae4278579c22bf5e6c2c4c43d"};

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
