// Whether the user wants animations.

/** Whether the user has asked for less motion. */
export const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
