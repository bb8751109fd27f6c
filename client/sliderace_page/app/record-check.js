// Race records: fetched once, held against what this page saw, computed again. Shell.

import { against } from "../core/fairness.js";
import { text as worded } from "../core/texts.js";
import { sayFinding } from "../core/wording.js";

const TRIES = 4; // a record may be stored a moment after the results are told
const PAUSE_MS = 1500; // between two tries

export class Audit {
  #file = { path: "", text: Promise.resolve(null) };

  /**
   * @param {object} world
   * @param {(path: string, read: (answer: Response) => unknown) => Promise<unknown>} world.get
   * @param {(work: () => void, ms: number) => void} world.later
   * @param {SubtleCrypto} [world.subtle] missing without https
   */
  constructor({ get, later, subtle }) {
    this.get = get;
    this.later = later;
    this.subtle = subtle;
    /** @type {{race: string, wrong: string[] | null} | null} null: not (yet) known */
    this.check = null;
  }

  /** The text of a race's record, fetched once; null: not found. */
  text({ record }) {
    if (this.#file.path !== record) {
      this.#file = { path: record, text: this.#fetch(record.replace(/^\//, "")) };
    }
    return this.#file.text;
  }

  async #fetch(path) {
    for (let tries = 1; ; tries += 1) {
      const text = await this.get(path, (answer) => answer.text());
      if (typeof text === "string") return text;
      if (tries === TRIES) return null;
      await new Promise((resolve) => this.later(() => resolve(null), PAUSE_MS));
    }
  }

  /**
   * Who raced holds the record against what was shown and sent, unasked and once.
   * @param {Model} model with results
   * @returns {Promise<boolean>} whether something is wrong
   */
  async look({ kept, results }) {
    const raced = kept && !kept.late && (kept.seat !== null || kept.own !== null);
    if (!raced || this.check?.race === results.race) return false;
    const check = { race: results.race, wrong: null };
    this.check = check;
    const text = await this.text(results);
    if (text === null) return false; // not to be had: that says nothing against it
    check.wrong = against(recordIn(text), results, kept);
    return check.wrong.length > 0;
  }

  /**
   * Verify the record of a race, and compare it with the results.
   * @returns {Promise<{name: string, verdict: "ok" | "wrong" | "unknown", text: string}[]>}
   */
  async verify(results, kept) {
    const text = await this.text(results);
    if (text === null) {
      const why = worded("check.record.not_found");
      return [{ name: "record", verdict: "unknown", text: why }];
    }
    const { verify } = await import("../core/proof/signed.js"); // for the few who ask
    const promised = kept.late ? "" : kept.commitment;
    const checks = await verify(text, this.subtle, { promised });
    const wrong = against(recordIn(text), results, kept);
    const verdict = wrong.length ? "wrong" : "ok";
    const told = wrong.join(" ") || worded("check.results.ok");
    return [...checks.map(inWords), { name: "results", verdict, text: told }];
  }
}

/** A check with its findings in words. */
function inWords({ name, verdict, findings }) {
  const text = findings.map((finding) => sayFinding(name, finding)).join(" ");
  return { name, verdict, text };
}

/** The record of a file; undefined: there is none. */
function recordIn(text) {
  try {
    return JSON.parse(text)?.record;
  } catch {
    return undefined;
  }
}
