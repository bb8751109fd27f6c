// The file of a race record, computed again. Pure: fetching it, and the browser's
// Ed25519, are the caller's.

export { NotCanonical, canonical } from "./canonical.js";
export { verify } from "./verify.js";
