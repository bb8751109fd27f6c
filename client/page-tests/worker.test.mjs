import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import vm from "node:vm";

import "./setup.mjs";
const SOURCE = readFileSync(
  new URL("../sliderace_page/sw.js", import.meta.url),
  "utf8",
);
const BASE = "https://race.example/sub/";
const FILES = ["/app/app.js", "/index.html", "/ui/screens/home.js"];

/** A browser's caches, shared by workers of several versions. */
class Caches {
  stores = new Map();

  constructor(network) {
    this.network = network;
  }

  async open(name) {
    const store = this.stores.get(name) ?? new Map();
    this.stores.set(name, store);
    return {
      match: async (url) => store.get(url),
      addAll: async (requests) => {
        const found = await Promise.all(requests.map(({ url }) => this.network(url)));
        if (found.some(({ status }) => status !== 200)) throw new TypeError("not all");
        requests.forEach(({ url }, n) => store.set(url, found[n]));
      },
    };
  }

  keys = async () => [...this.stores.keys()];

  delete = async (name) => this.stores.delete(name);
}

/** A service worker as the server serves it, in a fake browser. */
function worker(version, caches, net) {
  const received = {};
  const page = JSON.stringify({ version, files: FILES });
  const source = SOURCE.replace("const PAGE = null;", `const PAGE = ${page};`);
  assert.notEqual(source, SOURCE, "the server finds the line to replace");
  vm.runInNewContext(source, {
    self: {
      location: { href: `${BASE}sw.js` },
      addEventListener: (type, work) => (received[type] = work),
      skipWaiting: () => {},
      clients: { claim: async () => {} },
    },
    caches,
    fetch: (request) => net.fetch(request.url),
    URL,
    Set,
    AbortSignal,
    Request: class {
      constructor(url) {
        this.url = url;
      }
    },
  });
  const lifecycle = async (type) => {
    let done;
    received[type]({ waitUntil: (work) => (done = work) });
    await done;
  };
  const ask = async (path, how = {}) => {
    let answer = null;
    const request = { url: new URL(path, BASE).href, method: "GET", mode: "cors", ...how };
    received.fetch({ request, respondWith: (work) => (answer = work) });
    return answer && (await answer);
  };
  return { install: () => lifecycle("install"), activate: () => lifecycle("activate"), ask };
}

function world() {
  const net = { version: 1, up: true, status: 200 };
  net.fetch = async (url) => {
    if (!net.up) throw new TypeError("offline");
    return { status: net.status, text: `${new URL(url).pathname} ${net.version}` };
  };
  const caches = new Caches((url) => net.fetch(url));
  return { net, caches };
}

const NAVIGATE = { mode: "navigate" };

test("the copy is used only without an answer from the server", async () => {
  const { net, caches } = world();
  const one = worker("a", caches, net);
  await one.install();
  net.version = 2;
  assert.equal((await one.ask("app/app.js")).text, "/sub/app/app.js 2", "never an old copy");
  assert.equal((await one.ask("", NAVIGATE)).text, "/sub/ 2");
  net.up = false;
  assert.equal((await one.ask("app/app.js")).text, "/sub/app/app.js 1");
  assert.equal((await one.ask("", NAVIGATE)).text, "/sub/index.html 1");
  assert.equal((await one.ask("?practice", NAVIGATE)).text, "/sub/index.html 1");
  assert.equal((await one.ask("KWXTRB", NAVIGATE)).text, "/sub/index.html 1");
});

test("a proxy's gateway error counts as no answer, other errors as one", async () => {
  const { net, caches } = world();
  const one = worker("a", caches, net);
  await one.install();
  net.status = 503;
  assert.equal((await one.ask("app/app.js")).status, 200);
  net.status = 429;
  assert.equal((await one.ask("app/app.js")).status, 429);
});

test("API requests, other sites and other methods are not intercepted", async () => {
  const { net, caches } = world();
  const one = worker("a", caches, net);
  for (const path of ["api/rooms", "healthz", "nothing.js", "https://else.example/app.js"])
    assert.equal(await one.ask(path), null, path);
  for (const path of ["api/races/X", "replay/X", "https://race.example/other"])
    assert.equal(await one.ask(path, NAVIGATE), null, path);
  assert.equal(await one.ask("app/app.js", { method: "POST" }), null);
});

test("a new version fetches all files and removes the old ones", async () => {
  const { net, caches } = world();
  const old = worker("a", caches, net);
  await old.install();
  caches.stores.set("of another site's", new Map());
  net.version = 2;
  const fresh = worker("b", caches, net);
  await fresh.install();
  await fresh.activate();
  assert.deepEqual(await caches.keys(), ["of another site's", "sliderace-b"]);
  net.up = false;
  for (const file of FILES)
    assert.equal((await fresh.ask(file.slice(1))).text, `/sub${file} 2`);
});

test("a version with missing files is not installed", async () => {
  const { net, caches } = world();
  net.status = 429;
  await assert.rejects(worker("a", caches, net).install());
});

test("without a copy the failure is passed on", async () => {
  const { net, caches } = world();
  net.up = false;
  await assert.rejects(worker("a", caches, net).ask("app/app.js"));
});
