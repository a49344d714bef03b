// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "708d9a0c985bf1e3";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-b6xoBQEX.js":"63d16fe0c52e1e46081c890209ec69676e9f3e6c041d99442e271fb477a2bba9","/app/assets/CheckpointDialog-CKID6J4i.js":"d344362cc7cccb8dccb8be81c1a3f80c9a60340ab2392270361da98f69cc4abe","/app/assets/ChoiceList-C4c9pXNp.js":"24226ee44614602a691a510218a87fd8bdc8504037f5f4e5dd2d269059add49c","/app/assets/CommandPalette-CAp_jX3C.js":"4733d7aa4ebfea1d5fa826787af55ba49e7e2e938412c659175efee0738dd789","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-DqBrCkcd.js":"739c1f3cd7da27827d057c2474199016c95cc77613da30bda1bc7ebec2be8c66","/app/assets/DialogActions-B-tcFYqz.js":"cdd1250376e1240b7ef4d95552c73d86c644a179375a595b6ad6fa1fae373751","/app/assets/Drawing-BuFglqmf.js":"dcc87b9e1f04216233377d5dce6e7c8fe95acaeb79849a41b4cdb5394aee5397","/app/assets/EmptyState-kxdVh1Kn.js":"c483f57baca9377b478c666ae258923bcf976ba4c8a583a53cab9906336c1575","/app/assets/GanttStrip-DTb4tLBH.js":"551624b15031e4f70de7d7caf8b62806af0b900e8a48981d8400b49981245256","/app/assets/HeadingInput-CtZNIupt.js":"6fca8c20afc750ef4b6f5dd7121cff823281b749c8e230a39e9af57af23d02f0","/app/assets/Highlighted-BHzonIEw.js":"5f2841efe94634791f02db2c89c9ccbb136a27f2f4dc6e21ea3de67bb131ea9e","/app/assets/HistoryPage-BmsKY93h.js":"dda696999b5a84c460f29b51795056d9f4a9e4343742300ccea5507ff1812c52","/app/assets/KeyHelp-BilwWXaI.js":"0fa46dadb190c110fbfc16b4e0c1d1d29db9c2ee6f56cd10d77e341aa0264629","/app/assets/LongList-xvZr-cVv.js":"55cde0efd15fd45e825acdb12abda6c4ed75abde1dcbdf3271177b7ba1c43960","/app/assets/MarkdownEditor-CqlBo-CS.js":"5de5e5c646c3a0e94fd489ab522b7b17a633a65a4511200e64e120514c9fa318","/app/assets/MomentFields-DxsRHokA.js":"e1dc51d4142822528eb86533234f5816aed5a8f0e2af1a65ae3b01ebfaaa01f9","/app/assets/NoteCards-BxuLWxJH.js":"d8d2a5910a5e9842c4e2c83fa8b034311b8aff5d56cbffc4c0dad4119edd4d2e","/app/assets/NotePage-BkK33inv.js":"8c42937c67b84a545c1f2a030298dc3d4b62e0653d9373e848765abbd3a50303","/app/assets/NotesPage-D2n4Z8WR.js":"e17b3389ef188db335450cd212b95a6c1151f7dd53b354b3e05eed7ca3f8dcc0","/app/assets/ProjectPage-BZyghHOE.js":"797fd181941ed75c551039c02470fb0f2bdaa28e795011318776fd9bd8a6c4af","/app/assets/ProjectSelect-CV8PXFmk.js":"3fa06dc47a447a1ee2d154c14517687db3239230fab5436fa7fbb64e385b9184","/app/assets/ProjectsPage-CFL59WHt.js":"f720de5ca5a02ec9c631af295b2b6dfabb0d69c1e56207231cbf168deac1ee68","/app/assets/Rendered-BcqX75kc.js":"75cbb8c33dec3ca2ca37ef0dddcd56bed0f431ef78e677218d8241e569f00d0c","/app/assets/SettingsPage-CZFRhTn1.js":"23b96b40c91f06d2eeeb5190d955d42abef4ee918623c434f4fa90720dcf6ce5","/app/assets/TaskBoard-CEf9Ps1C.js":"c65c12987e705c2232bb124ac430d8769f82bbaee9bbbee9fb1c997bf665eec8","/app/assets/TasksPage-BuCAQOD4.js":"99437880573ef0af31368fec62e12563e399796b864c637bc9301aa1a19acbfc","/app/assets/TimelineBlock-oOrqEZ9J.js":"6a13cf60e6cd3e3391727a20bd7f6f68af9471fdfa9832016b03da1c990a6921","/app/assets/TimelinePage-Du1bX9gZ.js":"4a6c3e519ec8aa500c7160d17701710bbc56bbdd9c5cac98132a9967512dad0e","/app/assets/automatic-Bomc_Z6n.js":"58ded687cb7d6c1340c47ea7d47833300bf74f21560963217c0e46bf949eea6e","/app/assets/automatic-DGOxw3-g.js":"1bfa3b52b66cfab9d1e6ac830d6559c44667ebf3484c19b764c237d1548b412a","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-CkQmcSXV.js":"f89ec165a07811bc15c66d920e2d623fc9fd1fd20aee572bed0aac713f96e565","/app/assets/copies-BYenSATc.js":"034d6a63e325a8f2260626e785c11a69d83f0fbce4145155e4e9ecde058189d6","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-Bf6-7I6v.js":"c47db25d916cb09503dd5e1e2c1b59b8ebcd6cd7c386e8f6f3f2fb65a1c488da","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-BzWORn5i.js":"ca558c4f6d9580e3c9e4f3b799605ec25698c05a3a0e2e9c17d723f3a8795a2b","/app/assets/first-B3qVoLni.css":"ab43ee45eb39b0f667756d4863cee4d501a2de6adc23d9cb5bbb7685145972e8","/app/assets/first-vAM8Hrbg.js":"bfb982dece0a90cbe216d8a0f832c31675ad0c751b69aabbe15d65f00701c7bc","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-DEMGH_cn.js":"efdf9ceaff620952b15bfbb4c95bc1aa40a1f9fe19a0ba9d210cb49f7af45899","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BpLMimFp.js":"0f2dd2cd300509157fbea99c4113960faed9a84409ba5b9eedac718051075420","/app/assets/projects-DO_ibCK0.js":"c61b509ae51073f0e6dcfdae4f875ce3b5bc357461b1713184d28d75509099fa","/app/assets/read_worker-9K875g45.js":"1c3f713e25e5e31e0537c9b5dbd018d37ee634bced3bf754d0f586f79d034987","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-GYuGJoWu.js":"ab0319f430bd13af8a08dfd73d6460c96bc5f1a0e676419beada426ed0efbf8f","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-CygD_xL1.js":"77231d330b78e8d9a8be3ff80c98efeda279ff2417c039507b331b8c3252242d","/app/assets/useRest-BzPs-lJ-.js":"d57e8161cfe1695ea6ef230193c05e807920a0fd843d7ce95596d08ee4921652","/app/assets/useTaskActions-DcL476RA.js":"623f7b00f047fad330a3891df8948116cc2f85018a6f653ae8caa5ce37a38f62","/app/assets/useWidth-5-giV7XJ.js":"4f33dca21d0206c3358631cbd1df2b82f464badb41d6aa5d0f20498e398ed0d6","/app/assets/worker-BaJp0kRb.js":"6a648d693f35fdd3445d6f4403148f4782b09adddc081304744bf168ffed9411","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"ca008c90a808c02c08acdec944cdda74d0bb47205f2c180135a8e1639566ad15","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
