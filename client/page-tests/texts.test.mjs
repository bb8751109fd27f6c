// Compares the catalogue with the page's code: keys, placeholders, first texts.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";

import "./setup.mjs";
import { text } from "../sliderace_page/core/texts.js";

const page = new URL("../sliderace_page/", import.meta.url);
const folder = new URL("../../shared/sliderace/texts/", import.meta.url);
const load = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
const [start, later, common] = ["start", "page", "common"].map((name) =>
  load(`${name}.en.json`),
);
const all = { ...common, ...later, ...start };

const COMMENT = /\/\*[^]*?\*\/|^\s*\/\/.*$/gm;
/** Module -> its code without comments. */
const modules = new Map(
  readdirSync(page, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".js") && !file.startsWith("vendor/"))
    .map((file) => [
      file,
      readFileSync(new URL(file, page), "utf8").replace(COMMENT, ""),
    ]),
);

/** The keys that a name stands for: itself, or its singular and plural. */
const keysOf = (name) =>
  [name, `${name}_one`, `${name}_other`].filter((key) => key in all);
const baseOf = (key) => key.replace(/_(?:one|other)$/, "");
const groups = new Set(Object.keys(all).map((key) => key.split(".")[0]));
const placeholders = (key) => [...all[key].matchAll(/\{\{(\w+)\}\}/g)].map(([, n]) => n);

/** Literals of a module that are keys, for they begin with a group of the catalogue. */
const literals = (code) =>
  [...code.matchAll(/["'`]([a-z0-9_]+(?:\.[a-z0-9_]+)+)["'`]/g)]
    .map(([, name]) => name)
    .filter((name) => groups.has(name.split(".")[0]) && !name.endsWith(".js"));

/** Prefixes of keys whose end is computed: text(`status.${status}`). */
const prefixes = (code) =>
  [...code.matchAll(/`([a-z0-9_]+\.[a-z0-9_.]*)\$\{/g)].map(([, prefix]) => prefix);

/** The keys that a module may use. */
function used(code) {
  const starts = prefixes(code);
  const computed = Object.keys(all).filter((key) =>
    starts.some((prefix) => key.startsWith(prefix)),
  );
  return [...literals(code).flatMap(keysOf), ...computed];
}

/** Calls of text() with a literal key and literal values: [key, names of the values]. */
function* calls(code) {
  for (const match of code.matchAll(/\btext\(\s*"([a-z0-9_.]+)"\s*(,\s*\{([^{}]*)\})?/g)) {
    const [whole, key, values, inner = ""] = match;
    const next = code.slice(match.index + whole.length).trimStart()[0];
    if (!values && next !== ")") continue; // computed values
    const names = inner.replace(/\([^()]*\)/g, "").matchAll(/(?:^|,)\s*(\w+)/g);
    yield [key, [...names].map(([, name]) => name)];
  }
}

test("every key in the code is in the catalogue", () => {
  for (const [module, code] of modules) {
    for (const name of literals(code))
      assert.notDeepEqual(keysOf(name), [], `${module}: ${name}`);
    for (const prefix of prefixes(code)) {
      if (!groups.has(prefix.split(".")[0])) continue;
      const known = Object.keys(all).some((key) => key.startsWith(prefix));
      assert.ok(known, `${module}: ${prefix}...`);
    }
  }
});

test("every key of the page's catalogue is used", () => {
  const found = new Set([...modules.values()].flatMap(used));
  const unused = Object.keys({ ...start, ...later }).filter((key) => !found.has(key));
  assert.deepEqual(unused, []);
});

test("placeholders have values, and values have placeholders", () => {
  let seen = 0;
  for (const [module, code] of modules) {
    for (const [name, values] of calls(code)) {
      seen += 1;
      for (const key of keysOf(name)) {
        const wanted = placeholders(key);
        const given = values.filter((one) => one !== "count" || wanted.includes(one));
        assert.deepEqual(given.sort(), wanted.sort(), `${module}: ${key}`);
      }
    }
  }
  assert.ok(seen > 50);
});

test("the first modules use only the first texts, and all of them", () => {
  const index = readFileSync(new URL("index.html", page), "utf8");
  const first = [...index.matchAll(/"modulepreload" href="([^"]+)"/g)].map(([, m]) => m);
  assert.ok(first.length > 10);
  const found = new Set(first.flatMap((module) => used(modules.get(module))));
  const missing = [...found].filter((key) => !(key in start));
  assert.deepEqual(missing, [], "used by the first modules, but loaded later");
  const needless = Object.keys(start).filter((key) => !found.has(key));
  assert.deepEqual(needless, [], "loaded first, but used by no first module");
});

test("singular and plural come in pairs", () => {
  for (const key of Object.keys(all)) {
    if (!/_(?:one|other)$/.test(key)) continue;
    for (const form of ["one", "other"]) assert.ok(`${baseOf(key)}_${form}` in all, key);
  }
});

test("every constant is used", () => {
  const code = [...modules.values()].join("\n");
  const subjects = { ...load("start.json"), ...load("constants.json") };
  for (const [subject, values] of Object.entries(subjects)) {
    assert.ok(code.includes(`constants.${subject}`), subject);
    if (subject === "scripts") continue; // a table
    for (const name of Object.keys(values))
      assert.ok(new RegExp(`\\b${name}\\b`).test(code), `${subject}.${name}`);
  }
});

test("a text chooses by its count, and refuses unknown keys and missing values", () => {
  assert.equal(text("count.players", { count: 1 }), "1 player");
  assert.equal(text("count.players", { count: 2 }), "2 players");
  assert.throws(() => text("no.such_key"), /no text for no.such_key/);
  assert.throws(() => text("news.joined"), /no name for news.joined/);
});
