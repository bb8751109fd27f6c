// The sliding-tile puzzle, pure: the twin of the Python package `sliderace.engine`.
// The same names in camelCase, the same rules, the same golden vectors.

export * from "./engine/board.js";
export * from "./engine/notation.js";
export * from "./engine/scramble.js";
