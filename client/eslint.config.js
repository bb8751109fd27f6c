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
  "URLSearchParams",
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
  "URLSearchParams",
  "TextEncoder",
  "setImmediate",
  "setTimeout",
  "structuredClone",
];

// Every sentence that a player sees is a key of the catalogue. A literal may be one if it
// has a letter and a space, or begins with a capitalised word.
const isSentence = (found) =>
  (/\p{L}/u.test(found) && found.includes(" ")) || /^\p{Lu}\p{Ll}/u.test(found);

/** Literals that only look like sentences. */
const ALLOWED = [
  /^(?:Enter|Escape|Shift|Tab)$/, // keys
  /^(?:Ed25519|EngineError|sliderace page)$/, // an algorithm, an error, a program
  /^Bearer \{\}$/, // an HTTP header
  /^(?:Android|Chrome|ChromeOS|Edge|Firefox|Linux|Opera|Safari|Samsung Internet|Windows)$/,
  /^(?:noopener noreferrer external|stylesheet \{\})$/, // of links
  /^(?:button|day|lane|name) (?:(?:level)?\{\}|level2)$/, // CSS classes
  /^(?:bar (?:open|dnfs)| few| many)$/, // likewise
  /^(?:translate\(|\(min-width: |M(?:\{\}|\d+) )/, // CSS and SVG
  /^(?:input, textarea, select|\{\}, button, a)/, // selectors
];
/** Functions whose arguments nobody reads: selectors, messages for programmers. */
const CODE = /^(?:closest|fail|matchMedia|matches|querySelector|querySelectorAll)$/;
/** Functions whose first argument is CSS classes. */
const CLASSES = /^(?:badge|button|h|pageLink)$/;

const nameOf = ({ callee }) => callee.property?.name ?? callee.name ?? callee.type;

/** Whether nobody reads a literal where it stands. */
function isCode(node) {
  const { parent } = node;
  switch (parent.type) {
    case "BinaryExpression":
      return parent.operator !== "+"; // compared with something
    case "SwitchCase":
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
    case "ThrowStatement":
      return true;
    case "NewExpression":
      return /(?:Error|Record)$/.test(nameOf(parent));
    case "CallExpression":
      if (CODE.test(nameOf(parent)) || parent.callee.type === "Super") return true;
      if (CLASSES.test(nameOf(parent)) && parent.arguments[0] === node) return true;
      return isCode(parent);
    case "Property":
      return parent.key === node;
    case "TemplateLiteral":
    case "ConditionalExpression":
      return isCode(parent);
    default:
      return false;
  }
}

const texts = {
  rules: {
    "no-sentences": {
      meta: { messages: { found: "People see this, so it is a key of the catalogue: {{found}}" } },
      create(context) {
        const check = (node, found) => {
          if (!isSentence(found) || isCode(node)) return;
          if (ALLOWED.some((pattern) => pattern.test(found))) return;
          context.report({ node, messageId: "found", data: { found } });
        };
        return {
          Literal: (node) => typeof node.value === "string" && check(node, node.value),
          TemplateLiteral: (node) =>
            check(node, node.quasis.map(({ value }) => value.cooked).join("{}")),
        };
      },
    },
  },
};
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
    files: ["sliderace_page/**/*.js"],
    plugins: { texts },
    rules: { "texts/no-sentences": "error" },
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
