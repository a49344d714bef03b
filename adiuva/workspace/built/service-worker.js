// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "f9ed5c1fef2907e0";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-BlITKPMN.js":"240decaa03ac93919cb6304c7417c6ec170d441394d4f88859987a7e279bb0ed","/app/assets/CheckpointDialog-Be2FEzns.js":"8a8d72c6f1fffe622ae277968ad94cafa6480d749d5a89309b2f12ddceaa1139","/app/assets/ChoiceList-LrACkyTw.js":"c2dd2a65ba6537a787ee63ada3803fe42fa78b9ef40c177526cc71054bde1645","/app/assets/CommandPalette-BxtdV2UX.js":"b61d8974b64de65c5a076428327010003eb1b9a05aea03abdae31bb6ed25b796","/app/assets/DatePicker-BWtftUwr.js":"62e88cc5bb393d9a9d9abda69e00333fb277c3839131363c7c07ead221b5fa70","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DialogActions-BzrRIZ7v.js":"f8ed9f303e923fadd1d62148efada3b871d66ecf0c315349cf6543d78b887b63","/app/assets/Drawing-8r8a4TO0.js":"a8fd29846468a2dc49bf3b5d5e84074f2fb94341b537fbadba0e43a227672200","/app/assets/EmptyState-CC94vfK-.js":"a4615a85c968584507a337674ad9ac5cb451ff843f2fd6a57e565c0d9142b858","/app/assets/GanttStrip-DSHA8-WM.js":"37b788a2c744d9ded1c2ff6cd5e0a902543ed90dcd3f8c04a918e72755dafede","/app/assets/HeadingInput-FZTFHSdh.js":"45853e78392048ffdfd4a6bba393ce68a9d6a719dfa72fd94b80c94c3cc0412a","/app/assets/Highlighted-CAmXU4Zi.js":"5c59634a746f539cbdab663e30c4e239c9c1e814235e6aec07d18e037cceeba7","/app/assets/HistoryPage-DHqhe7bX.js":"795d240917987b824fadf2f54fee4c1b29a600200c0e3ed428eeb09d2d09bb76","/app/assets/KeyHelp-DvQot399.js":"8eb7455f88b7c15b78d57292814656e4cf3c00d23660bf4313ec52d13c23c653","/app/assets/LongList-B31Xx63j.js":"0a5324db0cfdd02b769d15b0168d329b7423cbdec282b15793d21d6c3fb08a3a","/app/assets/MarkdownEditor-D0bFXCrV.js":"e76f6d6782103863a1c37e0eb31a62c8984392c6168276e355bd8fc2833fd174","/app/assets/MomentFields-DBOReEsM.js":"da8c34833d480dec1e3968bc0507a4aae79b2726494d1c61bbcc439ed4d19948","/app/assets/NoteCards-YNZKj0EQ.js":"faff9a90549e78072cc0f8ed2f98d1bbb33a55c52fbd71e5ab618776ae43a664","/app/assets/NotePage-CeD1GUb9.js":"d1e82342471af489a3e3b2f5fd3348ae91435f1e839ea2a83106a099a1ee5244","/app/assets/NotesPage-CcCcWlMH.js":"f3646718dfd81fe63a27530e936974f4a6e20ecccc332ac7bc1a85500eac0644","/app/assets/ProjectPage-B-UjNy4v.js":"d71a5b46f9261545c595722d7eaaaa76fed576ed9e1915e23d4910c40827df2b","/app/assets/ProjectSelect-o3wI-ANP.js":"13578fd7500b071da667a43e10ecd128d85c442e3b07a012efdcd8992add3b11","/app/assets/ProjectsPage-DWrRzzLO.js":"7b8073b33d268cc47111cfeacc03790edcc3948e2eddba5c1b8a64a9d0702483","/app/assets/Rendered-DwAnpqF3.js":"687053b87c10ac4794d982afa3515e9470bc605f6ad35f4218ebaf9a3572c205","/app/assets/SettingsPage-Dh7ZBBVS.js":"25db95fdfce6de33c24ce97430d41347fbe12a3315d413f97b9363f39e887e31","/app/assets/TaskBoard-BGkuCIu2.js":"2259a0095b6969deb986e8d35605bd11d66b9047d54507aa08908354ef01412b","/app/assets/TasksPage-DI6fr8-1.js":"0fde22a0febe63996daf46cc64e4b0a3b52fed82270f02f3db759a308270756f","/app/assets/TimelineBlock-DBExIL4C.js":"5d2830399e8d42f8b09cedd903523297de601a7b8b78fc0e516169b19f7bfb65","/app/assets/TimelinePage-fAN2ZFo1.js":"f7f421cb1e13f2cd66d342c8d05f6d387a3c91474160edf42b875dfaf04a9c22","/app/assets/automatic--Lfp-FMz.js":"4f034f57b4061114b33386d3f05d46d35371e350ac35ed2d95f7990c12eb70b7","/app/assets/automatic-Oc4Gg3qJ.js":"c421999690c84582b6b091c04e64cfe2a5c0ede03c108853814b8f8e123aadbb","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-BqNkSZoq.js":"f785c78f6c4298588d0baf45901cc05ccfee92538dc4d6208d00cc948309ef32","/app/assets/copies-BYenSATc.js":"034d6a63e325a8f2260626e785c11a69d83f0fbce4145155e4e9ecde058189d6","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-DXV-Mla4.js":"daf75b08368cd76312a2e8fedbe880fbbe4cff0a208bbba229c28f8533046d84","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BzWORn5i.js":"ca558c4f6d9580e3c9e4f3b799605ec25698c05a3a0e2e9c17d723f3a8795a2b","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/first-QduQMg11.js":"b03bfd18fb3269fd7e72f0face336d84decd401da3fdb5471983a2e357c2433e","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-DEMGH_cn.js":"efdf9ceaff620952b15bfbb4c95bc1aa40a1f9fe19a0ba9d210cb49f7af45899","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BpLMimFp.js":"0f2dd2cd300509157fbea99c4113960faed9a84409ba5b9eedac718051075420","/app/assets/projects-CP_wNmuO.js":"9a52fe126477d2adf319741b0fbf48ad324ac00b9a4ff904f90c0a881b171501","/app/assets/read_worker-9K875g45.js":"1c3f713e25e5e31e0537c9b5dbd018d37ee634bced3bf754d0f586f79d034987","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-rlZrlhvN.js":"c0e8645d1b2b6cf57c525fa666b822259ed53bb82da62f1454f95d2ca29f395d","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-BnOquVFT.js":"93b1d50defcf1783b57d3b1c6bcffbfcf730bd8e2ca9d7d0f55266d156fd4975","/app/assets/useRest-ConS3gYW.js":"94b25efba43a95fee906ac7163335af68538ad2880702ebf4718237fa62d6fa1","/app/assets/useTaskActions-CU5twBmQ.js":"f0f9907cdc6c230626a54b081bf569893a923050873135bbc329ca83a4acc36d","/app/assets/useWidth-Byx4JMEL.js":"8018c662e4278b34809bd92fd86db7a3402903161884476f4a217e28ce6a458b","/app/assets/worker-BaJp0kRb.js":"6a648d693f35fdd3445d6f4403148f4782b09adddc081304744bf168ffed9411","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"fdd1d2a6dffb78f1f02e0edc17ee21a6405d20a70d3b3a14d7b3f05a4c2ee219","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
