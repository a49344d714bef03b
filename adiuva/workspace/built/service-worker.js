// Opens the workspace from the browser's cache, so that it works without the server. The build replaces the next two
// lines: the digest of all files, and each file below /app/ with the SHA-256 of its content.
const VERSION = "bc55304310794674";
const FILES = {"/app/appearance.js":"110d0e0d551de4233db6af35e42f17e7e7714aad6083fb6d6fd25717ddc49fff","/app/assets/Cards-BSEEMXCQ.js":"199ba5606b35c80d8ecfb7cff1eb81cdbfd27e8f383541fd3922ed7731c0b6aa","/app/assets/CheckpointDialog-BDXnBbKT.js":"0d62bb81baee616dcb0225b31aa35f2f8a8b576e8e84293e4f5ec77f71356e92","/app/assets/ChoiceList-DbVATGVu.js":"c09b57fbc1a46cb8d3e9712ab305b4b6fdb64d2372446c026806d1be328c47bf","/app/assets/CommandPalette-vXe2qLP0.js":"92e7ab0cf546fa482d2b35c549d9b087932da5dda3bc0be5b0bd5670c5f298a4","/app/assets/DatePicker-CHSOKMNS.css":"5f610f956714e313e4edae8698d69a0f25cf1d7641aa4754ecc97a9fcf1d87d4","/app/assets/DatePicker-DkH9418p.js":"54526dae6a7be63876f2f6884d1789d1e175129679d8d607d21f308fa059d164","/app/assets/DialogActions-DN0t2cvi.js":"f60fc625c258ba108993c443d9a34c2a0cb33727638a08b3410f0f87455d16c2","/app/assets/Drawing-CxImjU7A.js":"e4d0dd55fda1b1afae5605831dc17712f63bc3229d0db021cb3bc0039bebe445","/app/assets/EmptyState-DPS74qep.js":"e8236b3b0f0cf33ea957ced7cdb4d3d77852b205a27eef369e008741966e7ce9","/app/assets/GanttStrip-GSCpKDlX.js":"d029ea675df478d31e240e748c0f4cff19c28e52126dd423778805ac3999399b","/app/assets/HeadingInput-DBXUEicj.js":"a5a306f8b401610ed8a3e47163f3562a32fef89ab4db4ca6d2e56894e84f558d","/app/assets/Highlighted-CHCDv8yM.js":"e5cf5a7f84a564b989dd489f1acd6562b40f01cba3c5566a4bf61a9b1ee3845d","/app/assets/HistoryPage-Cd-StPAW.js":"e9e9e7c58fff10cf968854cf7e07d5d90bca2dc81b692b090a844ed31750b448","/app/assets/KeyHelp-t-qrSs1a.js":"d8604b7ed1b670ade3282c9df28633e5f79554093b798187a2e2bf49a82393b2","/app/assets/LongList-Cjl8TDvz.js":"4acb7016148fac4f7e0aaecb89388062e9d7f826ff021c6096d1e8e37e47787f","/app/assets/MarkdownEditor-DZIznhqM.js":"40f081471d4e4d9fba6b4e356235a1dee0077eb82f2911e62f4fbed02f77efb9","/app/assets/MomentFields-Br-5N6Jp.js":"a94ae77313cccf98ec8ded743a8bcc026db566b619949c0334ec7857f8eb42a2","/app/assets/NoteCards-ilaVagux.js":"4a367f44f32f7c5cda6fc7b2f5825ead0b032832842d881379c846b94dc239ae","/app/assets/NotePage-28xq4PzH.js":"87b32071d1ceda3911bbfef59c85897ebd691a106b8ed1af3c3cde64682b3f84","/app/assets/NotesPage-D8uySGrl.js":"4fb4534804dd75b1a4bbc0cde2416b834053aea08e1652895cb413746e80a5ac","/app/assets/ProjectPage-Bn3pPl6w.js":"8eb114b5c369062cec9b9f8d65ca69047f2fe547600c0ef1c1cd1d7ab8a37af8","/app/assets/ProjectSelect-4HLUFXhG.js":"56eb2b224e1db2c4c5fc243836bc015ac889f148eb151b00bc521bc7fe7e4351","/app/assets/ProjectsPage-BaCr4jWd.js":"fe9f9d3231d3f310193707546d19e0e4c4cc7224e6ca9f38d0a58514ab3b2e4a","/app/assets/Rendered-CcGelZEu.js":"72995e14d8ee5722d73848cc4b600687718767344c6cb7b8883248f9f266c792","/app/assets/SettingsPage-Zo5J9ZnH.js":"b6efd301a1e36fa7fa5fbbac07cccc15af649211610dda95a6a92432a3baf4c5","/app/assets/TaskBoard-Cf32lcZW.js":"0f84267b6a219a8fda345a2c5a6cbe4fcbbe71d3bbfc9c57fa25808653031f74","/app/assets/TasksPage-BWi6Tp-S.js":"60eeefe5b6ce2668e5774fcf99ce9314886abc2efdbe09693d262fd9beff396b","/app/assets/TimelineBlock-Dlsb1DEa.js":"ee3f0ea07fd66abf9a42dcd08d939ca7e6e423caef0a437a8e61826989882956","/app/assets/TimelinePage-BRyrjHtn.js":"bbbb219843362150e66f8057a9db36e28bf5e045ef1d2c216149fd5831be55b3","/app/assets/automatic-1C4K1YUl.js":"fc8964e20bc8c584f23ee2cd28104331cd0747f12c8f577b65a55d56e9a37abc","/app/assets/automatic-DkMAxre9.js":"50c8db9bf6af08a988e756b57bfab44aceb8b39503a0492c26e7817699791483","/app/assets/browser-CB2FqPFH.js":"11338040c2d82acec091cf10722c411b14a86169d84f8888fb920192a5423f8a","/app/assets/commands-_v1pECxa.js":"4c29df95f0bfb6c2ad07f2b876dcdaa8f7581c31291e424b9e8c30a2e69555d6","/app/assets/copies-BCoLRVg0.js":"a096ec808e6fafa94644dfdf2404d998a85fba311fdc8805942eea51366f6074","/app/assets/days-DhbHQ55y.js":"e5597ca660aa5405c82c35fd7da5409f9b27a2824e5f28915c5570df8202432a","/app/assets/dist-CzoCSaeJ.js":"35f86d6254a503bc6ec2e95c4f9c92264d2e1af860b49e62076e42a3ea32572d","/app/assets/examples-CpKLhSWi.js":"3d463a29851db2783d3db272fa90a82698f6f693221286a9e13ab638ed99a464","/app/assets/existing-Dsa6hMpU.js":"be518609f59683a76d50a98c77161096634504f69970c7df8274773cc08db59b","/app/assets/export-B8e0sOqM.js":"58f5a51a01f938e4b585bba78584a32ddcb40dc9d69f53b16dd94096fb7fab5b","/app/assets/first-Ba7BJNTP.css":"8e2ef0bbaa1b16ee404ebdb08b228582539f53b0d2f5b98fc5e927133421e146","/app/assets/first-CSLia5Ya.js":"1d820d37f081ab980db8558a6cbb002439c7cf44ea92af49ef86538e0e5dc3a9","/app/assets/folding-CnX7MCJU.js":"66f8f737fd6bdba227bc341177fd12ae874187640056eabcb13991331a31796a","/app/assets/html_markdown-BUauX0TJ.js":"1efb0da0d84ea6961ab3c6e924e5cdb32a1f85069a43966bdd1773c3346e16f5","/app/assets/it-ncgBcJ1z.js":"16d4303fdcdb5fe0a4b7b767c6597867358ddca0265f65f442acdeebf1781a06","/app/assets/lib-BUy_4vOZ.js":"dc728c33fed14924cf3bba4b0b85ca8f98a83bf5cc9d9990ccce514516c6cd76","/app/assets/lib-BxjoBdZR.js":"376d1170a696373c32c6f966163c4a006e7ee2a9aa2da0fdda838fd9ec4f8ee7","/app/assets/lib-BzVN-y0T.js":"08e70dda29bb4d8c6a182c9cb379a40e295145b9dc3f6afb43d86677c0b41262","/app/assets/links-BmnhJWQf.js":"ea13c906869224045ca7653f1cd321e77a3af4e850551be533f4113dde4bfdc5","/app/assets/matching-BA4iZrw_.js":"b84405e7f6055a5d8d2f2b501aa314fd6770810c05b76c3c14fff1b3ecb4fddb","/app/assets/projects-cukjsQM5.js":"d8b7c08e0fef6e02e39f2d8e8d001511efe6757f37d846dd8ef5f12884ebff00","/app/assets/read_worker-9K875g45.js":"1c3f713e25e5e31e0537c9b5dbd018d37ee634bced3bf754d0f586f79d034987","/app/assets/rolldown-runtime-XKyaHtl9.js":"548d1dbf321e7d2ae804fcc158b588706a7c52f8ca175de1490c6ccb4dbe55b7","/app/assets/said_dates-D8Exi8Tw.js":"9291e2c78bbf5bdcefc18b562e9521c69c1dd0de40e4e87b607ecd877644484d","/app/assets/sqlite3-BVKGSWc-.wasm":"02d7e48164395fa68f81c6ec33e9da5461be397dc57602ac0cd89b4bbba1d312","/app/assets/title_links-DlIFnfIq.js":"225ac6e3ffa8c30efc5d2cf424037678f4f58c5741a4c095f7c4db5bc9ef72fe","/app/assets/useLinks-C_oKFjCC.js":"1d519a9e7be828d16de7a736d4980ae7fe8c34d04c521902daca2a8165c86ac7","/app/assets/useRest-BLz3zvCn.js":"a0c5ee38d2d227544b11f6a7e00f32e43b3c5922c91b566dbd28013459fd663b","/app/assets/useTaskActions-BQ7huISw.js":"0459e5fe967d2539e7dbca2215bd49c73fe972bbaa213da14c860b11cf4371c2","/app/assets/useWidth-DN87N9Ac.js":"49a25997ed7bde5038e0a951cbd53dc4ea1d82d1339d949ecd7a531c007b9f25","/app/assets/worker-C7EZ5qpb.js":"15966b26922eebbb8189172aba9aad7c9cf71945d4e0080db9dbaf1d7516e7cc","/app/icons/192.png":"62f9e1e55e205b061ccb71ded2d1a65d9338c8f67a9319180c28cacd2a0a64a8","/app/icons/512.png":"fba196a5a7d5fc5471aaa36cd284b40a0191b3508ac6f1884d6e32aade799f03","/app/icons/maskable.png":"ac99ae5a96b6390d5178645f98097bac22555dbcf847b6e0ced445f9b343b8ee","/app/index.html":"2172374c03299e987c97be124f8623b8c49e071602ef60a15b0aa940f2885604","/app/manifest.webmanifest":"7ffdb3231ef9503aa346240f6e72e6ca92562eef8e5ef021efe114bb372c5579","/app/mark.svg":"843d3f5748479c6984ee7942d6470e8edf256c18ca2e5fa86af831077d45813d"};

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
