// The page's modules import nothing in a circle, and nothing from a layer above.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { posix } from "node:path";
import { test } from "node:test";

const page = new URL("../sliderace_page/", import.meta.url);
const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g;

const COMMENT = /\/\*[^]*?\*\/|\/\/.*/g; // types are imported there, not modules

/** Module -> the modules that it imports, at once or later. */
const imports = new Map(
  readdirSync(page, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".js"))
    .map((file) => {
      const code = readFileSync(new URL(file, page), "utf8").replace(COMMENT, "");
      const found = code.matchAll(IMPORT);
      const folder = posix.dirname(file);
      return [file, [...found].map(([, path]) => posix.join(folder, path))];
    }),
);

/** A circle of modules, or null. */
function circle(graph) {
  const done = new Set();
  const path = [];
  const visit = (module) => {
    if (path.includes(module)) return [...path.slice(path.indexOf(module)), module];
    if (done.has(module)) return null;
    path.push(module);
    for (const next of graph.get(module) ?? []) {
      const found = visit(next);
      if (found) return found;
    }
    path.pop();
    done.add(module);
    return null;
  };
  for (const module of graph.keys()) {
    const found = visit(module);
    if (found) return found;
  }
  return null;
}

test("every imported module exists", () => {
  assert.ok(imports.size > 60);
  for (const [module, found] of imports) {
    for (const other of found) assert.ok(imports.has(other), `${module}: ${other}`);
  }
});

test("no modules import each other in a circle", () => {
  assert.equal(circle(imports), null);
});

test("a circle of modules is found", () => {
  const graph = new Map([
    ["a", ["b"]],
    ["b", ["c"]],
    ["c", ["b"]],
  ]);
  assert.deepEqual(circle(graph), ["b", "c", "b"]);
});

test("core imports only core, and app only core and app", () => {
  const layer = (module) => module.split("/")[0];
  const below = { core: ["core"], app: ["app", "core"], ui: ["ui", "app", "core", "vendor"] };
  for (const [module, found] of imports) {
    const allowed = below[layer(module)];
    if (!allowed) continue; // main.js puts everything together
    for (const other of found) {
      assert.ok(allowed.includes(layer(other)), `${module} imports ${other}`);
    }
  }
});
