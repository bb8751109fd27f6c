// For tests/proof: reads one race record file per line, each as a JSON string, and prints
// for each whether the page accepts it.

import { webcrypto } from "node:crypto";
import process from "node:process";
import { createInterface } from "node:readline";

import "./setup.mjs";
import { verify } from "../sliderace_page/core/proof/signed.js";

for await (const line of createInterface({ input: process.stdin })) {
  const checks = await verify(JSON.parse(line), webcrypto.subtle);
  const [structure] = checks;
  const holds = checks.every(({ verdict }) => verdict !== "wrong");
  process.stdout.write(`${holds && structure.verdict === "ok"}\n`);
}
