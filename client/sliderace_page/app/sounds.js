// Small synthesized sounds, off by default. Shell.

/** Sound -> tones: pitch in Hz, length in s, loudness. */
const SOUNDS = {
  tick: [[660, 0.03, 0.05]],
  count: [[440, 0.08, 0.1]],
  go: [[880, 0.25, 0.14]],
  finish: [
    [523, 0.14, 0.12],
    [659, 0.14, 0.12],
    [784, 0.3, 0.12],
  ],
};

/** @type {AudioContext | null} */
let context = null;

/** @param {keyof typeof SOUNDS} name */
export function play(name) {
  context ??= new AudioContext();
  if (context.state === "suspended") context.resume();
  let at = context.currentTime;
  for (const [pitch, length, loud] of SOUNDS[name]) {
    const tone = new OscillatorNode(context, { frequency: pitch, type: "triangle" });
    const gain = new GainNode(context, { gain: loud });
    gain.gain.setTargetAtTime(0, at + length / 2, length / 4);
    tone.connect(gain).connect(context.destination);
    tone.start(at);
    tone.stop(at + 2 * length);
    at += length;
  }
}
