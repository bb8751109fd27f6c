// Small synthesized sounds, off by default. Shell.

/** @typedef {[pitch: number, length: number]} Tone Hz, s */
/** @typedef {"count" | "go" | "slide" | "overtaken" | "solved" | "first" | "podium" | "later"} Cue */

/**
 * Cue -> its tones, how loud, and the least time between two of them in ms. The fanfare
 * of a finish begins with the solving slide; its other tones wait for the place.
 * @type {Record<Cue, {tones: Tone[], loud: number, apart?: number}>}
 */
const CUES = {
  count: { tones: [[440, 0.08]], loud: 0.1 },
  go: { tones: [[880, 0.25]], loud: 0.14 },
  slide: { tones: [[660, 0.03]], loud: 0.05, apart: 60 },
  overtaken: {
    tones: [
      [392, 0.07],
      [330, 0.09],
    ],
    loud: 0.06,
    apart: 1500,
  },
  solved: { tones: [[523, 0.14]], loud: 0.12 },
  first: {
    tones: [
      [659, 0.14],
      [784, 0.14],
      [1047, 0.4],
    ],
    loud: 0.12,
  },
  podium: {
    tones: [
      [659, 0.14],
      [784, 0.3],
    ],
    loud: 0.12,
  },
  later: { tones: [[659, 0.3]], loud: 0.1 },
};

/** @type {AudioContext | null} */
let context = null;
let busyUntil = 0; // on the context's clock, in s
/** Cue -> when it was played last, in ms. @type {Map<Cue, number>} */
const played = new Map();

/**
 * Play a cue, after the tones that are still sounding.
 * @param {Cue} cue @param {number} volume 0 to 1
 */
export function play(cue, volume) {
  const { tones, loud, apart = 0 } = CUES[cue];
  const now = performance.now();
  if (now - (played.get(cue) ?? -Infinity) < apart) return;
  played.set(cue, now);
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  const follows = ["first", "podium", "later"].includes(cue);
  let at = follows ? Math.max(context.currentTime, busyUntil) : context.currentTime;
  for (const [pitch, length] of tones) {
    const tone = new OscillatorNode(context, { frequency: pitch, type: "triangle" });
    const gain = new GainNode(context, { gain: loud * volume });
    gain.gain.setTargetAtTime(0, at + length / 2, length / 4);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + 2 * length);
    at += length;
  }
  busyUntil = at;
}
