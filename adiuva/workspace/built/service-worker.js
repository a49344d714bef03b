// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "fdaed050b56c4514";
const FILES = {"/app/appearance.js":"09a0576c679b324e87c630415eeabe5d7131bbd28f2683c9714fd1b20f6cac9e","/app/assets/Cards-B6898A-w.js":"d47a44af6e3a3a931180fcdba919ddb064ab98871b44aea9610c8e4d34f04110","/app/assets/CheckpointDialog-BeeHUV-F.js":"c73c35e72eda5faa5818b7cc16aaed2fb7ced832adcf2ead9b1bdc7d89560ec4","/app/assets/ChoiceList-DilaXfFR.js":"e73d00834a6c10d0710f698e431f119b1e465bc142cda397f1c0c8df43498153","/app/assets/CommandPalette-Coryfh8a.js":"4e7529826cf9f1be39ecb9c74d9290952f6494e2b5d39167ab18f30f2d6f3203","/app/assets/DatePicker-BaReWZCO.js":"33022d4b1eb23bddcea8c6da327601c0efe95eb41feba23aabf52c48e93382bf","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-Dn6HaVO0.js":"e697ef71226d68d5fb3a5938fe42be155f1ed1348cac7f260c77489f191dd782","/app/assets/Drawing-DDZk79mm.js":"fbb6aef0999d9667d1d45f9bd27862b690858d261e183dcf626f0dd5587589f0","/app/assets/EmptyState-D2TvX_7y.js":"de2e7dd29a518fadd8ed9f81f10a042fd35e267336f700f3fbc06179692ec5ba","/app/assets/GanttStrip-Bqs1OSxj.js":"fda86eda7a3e382aaabdaf9aa14f722c79fccd23bc0662ddfeec016b6ed1ed1d","/app/assets/HeadingInput-xK0zNEok.js":"f6e0ea7dedaa6a7943ac21007641dac45b66a22e67f0b51a101bb1250f8c1e84","/app/assets/Highlighted-WN8aHFV0.js":"e6d2e0936aa626a66167b4b652dde1aa9face11dc2114ee79e5238193e9fbca1","/app/assets/HistoryPage-DajVLjw_.js":"bed9f60d9adac7aa43ac13390a964a37b51f500145e29943c545a29c1b4ea7f3","/app/assets/KeyHelp-DDPRvWKt.js":"e5c081952f6900ee1e853dbd1c847372a90c6c2da54dda8e47812a46247ca531","/app/assets/LongList-SiLg4spp.js":"ee0f7a859af9720eb6cd0096c2b111c55f3172701b96f3e455b1049a561ba7a0","/app/assets/MarkdownEditor-DyXkPoag.js":"d9439dfe84172fc6a134eaa0dc4860f7856816ff2de7ab0f2af8c530f95de887","/app/assets/MomentFields-CwhckRH3.js":"e34beacd3e0b0b0ac4bf9bdaf9ac7594c059b86ba265839a91dfaf845b69eead","/app/assets/NoteCards-Bh94m00L.js":"162eb247bbd06311f3f77ab9e81bbb224fd0a77de711e67ed6367e50e1ef72de","/app/assets/NotePage-BhTQomX8.js":"1455ae79b6d15fd3025faa5528283c81d04bf36eeee726e354bfa7ec51a7d485","/app/assets/NotesPage-CCbOc6cj.js":"8e40345b64f6209f2f8239e1d2f6cf5e11f747511169632a64369f71df151ddd","/app/assets/OutwardLink-D1VwZo5_.js":"21874046efc97d66aab4d68ee4f865b27fb9acc034b91d8310dc0d1bc2ecd731","/app/assets/ProjectPage-CbCrCoWj.js":"39f3e6e67aee8397d5a1833c316accbe03f831bbf6371fd8d29c6775fd0b474e","/app/assets/ProjectSelect-BBakEcLL.js":"c570d1477e619b3a0cc6ac40b0c3aeed16b91ab1d615ea61aa423ec60b62aaa5","/app/assets/ProjectsPage-C6YJ1127.js":"9a5db1925df0880245c6ad01ef45c664989ced3bae659ca83779f9310a1cd923","/app/assets/Rendered-z5QjtYdT.js":"09535333e6f859ebc174ec89d0435c28b245914b6b4946e870112abfbd717154","/app/assets/SettingsPage-D8vMvbCG.js":"98674c283c63318443af82343f544ad307ab797dc56f864d2ac24a611377e8ba","/app/assets/TaskBoard-QnRuOlTH.js":"29442ae4dd1c8060cd5d29c5acdc11a0abe3c1296e07698d15b126120470b26b","/app/assets/TasksPage-CURbRerU.js":"c4f1e60c3dfaf58243ef29c40e6336053b816d759a1014bd4e07b29a5044881a","/app/assets/TimelineBlock-DTYtXTjA.js":"9a6faa622c4fafbb16a71c8de2b1b24c859cc4bc361300de3ebb8161fed9766f","/app/assets/TimelinePage-Bzeb04gr.js":"3f892e56461d30f921f2ec6c8336fc2d18b16dd1f2601f35547000b0ced09e02","/app/assets/automatic-BbRs1_RR.js":"0d3a7f334f60fdf27556879eae85fdd13a96f8355484e6efe21b7c6efad5f010","/app/assets/automatic-DJKQeyvS.js":"ed7c4d63ad9b9170c21835418f2e4ef8d5182e627d4a50ea11ea7ae4495c01fb","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-Cjpawwsh.js":"cdbc22715754f43c334beac626b4b748a64a17792763040347c53d37f4c1212f","/app/assets/copies-B6rghwx9.js":"6ead6f0874a221c9c56834cdab682c4c2b060f69629cc2634f2fb54362aab3f4","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-BUsf_JiK.js":"ecda71d2023941294cf6a281c2698747806b8ad33b571dedd2909c54931e4e00","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BzDpXCQz.js":"353c918705e475b64e2fc1b7b5231471f8e411e2130b6ebb0420442b96402e68","/app/assets/first-B8_-7RVB.css":"e3189981a1b4b9b8b792299fe051ab44ca132df6aa638962f80cd1fa86725016","/app/assets/first-CJsSQAcH.js":"d813cefccc7fee989a3b6e415739440b5095ba52353938fe68bffd58bff69935","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/hosts-CXgYkIFQ.js":"7a1683ba3466c006006a78eaa56059e240de1254c076315a8be02d321940b462","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-C-OTi0AU.js":"beeb3647bc8a95295609ba2a3c13db586c3d5edddf373a41aae078a3c6161ad2","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-DEbLK9dX.js":"5fe359a29e4a3fb93d0e713be5099c2a098a53ec102a26856075d7add7b2a4b1","/app/assets/projects-eEwS7wSs.js":"b431d617874b5e895d8478bc34f4a5b0332cbc23c513a94d1ceb623ad6f70f44","/app/assets/read_worker-kf1thpkt.js":"22dc42f8297e06b255cda05efa4fa582d4973af04e10cf4663bfd961dafbdfc9","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-DxkEmyYf.js":"ac8b52d469eef52261d8d730c233355b6ead126b3ccd8d06aa96db74652b16c5","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-Bc5tyUsM.js":"4c3d42592de7c1f3143c47d47ca0ddb8dbc6b075923fc6e77cabcd031a8ded1b","/app/assets/useRest-B1Yh4bg3.js":"b01b5274e790367dfc84a009a8ab6684a4805f3e2e0403daed6dfce981192e54","/app/assets/useTaskActions-olSI4DUm.js":"194fd906f549f979cec714b929a209fd0e5a09a0361ff01524346175fcbf7b40","/app/assets/useWidth-3aXMdkPQ.js":"dfba4bed2a2b1d211626b7a9af0999b5bc882fb37ff10f82296d6f14f78c422c","/app/assets/worker-TI9Bd4g6.js":"e332eb7467165cfca6024a8a322238553ea736b8038565c2a101252451f02291","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"d6b08a910834457e894c35746a2b86a0924dbd817af291217dc9d6d366ed99a4","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
