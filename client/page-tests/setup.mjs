// The catalogue as a browser would fetch it; import this where texts are shown.

import { readFileSync } from "node:fs";

import { setTexts } from "../sliderace_page/core/texts.js";

const folder = new URL("../../shared/sliderace/texts/", import.meta.url);
const read = (name) => JSON.parse(readFileSync(new URL(name, folder), "utf8"));
setTexts(read("common.en.json"), read("page.en.json"));
