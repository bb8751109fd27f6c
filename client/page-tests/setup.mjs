// The constants and the catalogue, as main.js fetches them. Import this in every test.

import { readFileSync } from "node:fs";

import { addConstants } from "../sliderace_page/core/constants.js";
import { addTexts } from "../sliderace_page/core/texts.js";

const folder = new URL("../../shared/sliderace/texts/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
for (const name of ["start", "constants"]) addConstants(read(`${name}.json`));
for (const name of ["start", "page", "common"]) addTexts(read(`${name}.en.json`));
