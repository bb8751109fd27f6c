import assert from "node:assert/strict";
import test from "node:test";

import "./setup.mjs";
import { DEFAULTS, Settings } from "../sliderace_page/app/settings.js";

class FakeStorage extends Map {
  getItem = (key) => this.get(key) ?? null;
  setItem = (key, value) => this.set(key, value);
}

test("settings are kept; unknown names and wrong types are ignored", () => {
  const lasting = new FakeStorage();
  assert.deepEqual(new Settings(lasting).now, DEFAULTS);
  new Settings(lasting).set({ hover: true, keys: { KeyI: "U" } });
  assert.equal(new Settings(lasting).now.hover, true);
  assert.deepEqual(new Settings(lasting).now.keys, { KeyI: "U" });
  assert.equal(DEFAULTS.hover, false);
  lasting.setItem("sliderace.settings", '{"hover": 1, "keys": null, "x": 2}');
  assert.deepEqual(new Settings(lasting).now, DEFAULTS);
});

test("without storage nothing is kept and nothing fails", () => {
  const settings = new Settings(undefined);
  settings.set({ sound: true });
  assert.equal(settings.now.sound, true);
});

test("invalid storage yields the defaults", () => {
  for (const text of ["{", "null", "5"]) {
    const lasting = new FakeStorage([["sliderace.settings", text]]);
    assert.deepEqual(new Settings(lasting).now, DEFAULTS);
  }
});
