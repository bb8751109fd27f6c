// Days and moments, in the reader's language. Pure.

export const DAY_MS = 86_400_000;

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const FORMS = {
  full: { dateStyle: "medium" },
  month: { month: "short" },
  weekday: { weekday: "short" },
};

/**
 * A day in UTC, in the reader's language.
 * @param {number} day since 1970 @param {keyof typeof FORMS} form
 */
export const utcDayText = (day, form) =>
  new Date(day * DAY_MS).toLocaleDateString(undefined, { ...FORMS[form], timeZone: "UTC" });

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const MOMENTS = {
  short: { day: "numeric", month: "short" },
  day: { dateStyle: "medium" },
  time: { hour: "2-digit", minute: "2-digit" },
  full: { dateStyle: "medium", timeStyle: "short" },
};

/**
 * When something happened, in the reader's language and time zone.
 * @param {number} ms Unix time @param {keyof typeof MOMENTS} form
 */
export const momentText = (ms, form) => new Date(ms).toLocaleString(undefined, MOMENTS[form]);
