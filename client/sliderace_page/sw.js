// The page without a network: one copy of all its files, of one version. Where the
// server answers, its answer counts: no copy ever stands before a newer page.

const PAGE = null; // the server writes version and files here, see page.py
const PREFIX = "sliderace-";
const DEAD = [502, 503, 504]; // a proxy's way to say that nobody is there
const PATIENCE_MS = 4000; // a line that is there but carries nothing is none

const base = new URL("./", self.location.href);
const store = `${PREFIX}${PAGE?.version}`;
const files = new Set(PAGE?.files.map((file) => new URL(`.${file}`, base).href));
const index = new URL("index.html", base).href;

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(fill());
});

self.addEventListener("activate", (event) => {
  event.waitUntil(clean().then(() => self.clients.claim()));
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

/** All files or none. */
async function fill() {
  const cache = await caches.open(store);
  await cache.addAll([...files].map((file) => new Request(file, { cache: "no-cache" })));
}

async function clean() {
  const names = await caches.keys();
  const old = names.filter((other) => other.startsWith(PREFIX) && other !== store);
  await Promise.all(old.map((other) => caches.delete(other)));
}

/** The start page, a room's link; a file of the server's interface is no page. */
const isPage = ({ origin, pathname }) =>
  origin === base.origin &&
  pathname.startsWith(base.pathname) &&
  !pathname.slice(base.pathname.length).includes("/");

/** What the server says; the copy where it says nothing. */
async function answer(request, file) {
  try {
    const found = await fetch(request, { signal: AbortSignal.timeout(PATIENCE_MS) });
    if (!DEAD.includes(found.status)) return found;
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
