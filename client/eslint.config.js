// Rules for the page's modules and their tests; run with the tools that .ci/run installs.
// The names that a browser or Node.js gives are listed here, so that a slip is found.

const browser = [
  "AudioContext",
  "Blob",
  "DOMException",
  "Event",
  "GainNode",
  "OscillatorNode",
  "ResizeObserver",
  "Response",
  "TextDecoder",
  "TextEncoder",
  "URL",
  "WebSocket",
  "addEventListener",
  "btoa",
  "cancelAnimationFrame",
  "clearInterval",
  "clearTimeout",
  "createImageBitmap",
  "crypto",
  "dispatchEvent",
  "document",
  "fetch",
  "getComputedStyle",
  "history",
  "innerHeight",
  "innerWidth",
  "localStorage",
  "location",
  "matchMedia",
  "navigator",
  "performance",
  "removeEventListener",
  "requestAnimationFrame",
  "scrollTo",
  "setInterval",
  "setTimeout",
  "window",
];
const node = [
  "Buffer",
  "AbortSignal",
  "URL",
  "TextEncoder",
  "setImmediate",
  "setTimeout",
  "structuredClone",
];

const globals = (names) => Object.fromEntries(names.map((name) => [name, "readonly"]));
const rules = {
  "no-undef": "error",
  "no-unused-vars": ["error", { argsIgnorePattern: "^_", varsIgnorePattern: "^_", caughtErrors: "none" }],
  "no-const-assign": "error",
  "no-dupe-keys": "error",
  "no-eval": "error",
  "no-fallthrough": "error",
  "no-implied-eval": "error",
  "no-shadow": ["error", { allow: ["h", "text"] }], // tsc finds a call of the wrong one
  "no-unreachable": "error",
  "no-unsafe-optional-chaining": "error",
  "no-use-before-define": ["error", { functions: false, classes: false, variables: false }],
  "no-useless-assignment": "error",
  "no-var": "error",
  "prefer-const": "error",
  eqeqeq: "error",
};

export default [
  { ignores: ["sliderace_page/vendor/**"] },
  {
    files: ["sliderace_page/**/*.js"],
    languageOptions: { globals: globals(browser) },
    rules: {
      ...rules,
      // Text of others only ever becomes text.
      "no-restricted-properties": [
        "error",
        { property: "innerHTML" },
        { property: "outerHTML" },
        { property: "insertAdjacentHTML" },
      ],
    },
  },
  {
    files: ["sliderace_page/sw.js"],
    languageOptions: { globals: globals(["AbortSignal", "Request", "caches", "self"]) },
  },
  {
    files: ["page-tests/**/*.mjs"],
    languageOptions: { globals: globals(node) },
    rules,
  },
];
