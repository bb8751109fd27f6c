// What a browser calls its device, so that people recognize it in a list. Pure.

/** Marks in a user agent -> names; the first one that fits counts. @type {[RegExp, string][]} */
const SYSTEMS = [
  [/Android/, "Android"],
  [/iPhone|iPod/, "iPhone"],
  [/iPad/, "iPad"],
  [/CrOS/, "ChromeOS"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/Linux/, "Linux"],
];
/** @type {[RegExp, string][]} */
const BROWSERS = [
  [/Edg(?:e|A|iOS)?\//, "Edge"],
  [/OPR\//, "Opera"],
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Safari\//, "Safari"],
];

/**
 * @param {string} userAgent
 * @returns {string} such as `Firefox, Android`; `sliderace page` if it is unknown
 */
export function deviceName(userAgent) {
  const known = [BROWSERS, SYSTEMS].map((marks) => marks.find(([mark]) => mark.test(userAgent))?.[1]);
  return known.filter(Boolean).join(", ") || "sliderace page";
}
