// Makes the page work without a network, from a copy of all files of one version. As
// long as the server answers, its answer is used: a copy never hides a newer page.

const PAGE = null; // the server replaces this line by version and files, see assets.py
const PREFIX = "sliderace-";
const GATEWAY_ERRORS = [502, 503, 504]; // a proxy's answer if the server does not answer
const PATIENCE_MS = 4000; // a network that is slower than this counts as none

const base = new URL("./", self.location.href);
const store = `${PREFIX}${PAGE?.version}`;
const files = new Set(PAGE?.files.map((file) => new URL(`.${file}`, base).href));
const index = new URL("index.html", base).href;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(removeOld().then(() => self.clients.claim()));
});

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET") return;
  const url = new URL(request.url);
  const file = url.origin + url.pathname;
  if (request.mode === "navigate" && isPage(url)) {
    event.respondWith(answer(request, index));
  } else if (files.has(file)) {
    event.respondWith(answer(request, file));
  }
});

/** Store all files or none. */
async function fill() {
  const cache = await caches.open(store);
  await cache.addAll([...files].map((file) => new Request(file, { cache: "no-cache" })));
}

/** Remove the copies of other versions. */
async function removeOld() {
  const names = await caches.keys();
  const old = names.filter((other) => other.startsWith(PREFIX) && other !== store);
  await Promise.all(old.map((other) => caches.delete(other)));
}

/** Whether this is the start page or a room's link, and not a path of the API. */
const isPage = ({ origin, pathname }) =>
  origin === base.origin &&
  pathname.startsWith(base.pathname) &&
  !pathname.slice(base.pathname.length).includes("/");

/** The server's answer; without one, the copy. */
async function answer(request, file) {
  try {
    const found = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!GATEWAY_ERRORS.includes(found.status)) return found;
    return (await copy(file)) ?? found;
  } catch (error) {
    const kept = await copy(file);
    if (kept) return kept;
    throw error;
  }
}

async function copy(file) {
  const cache = await caches.open(store);
  return cache.match(file);
}
