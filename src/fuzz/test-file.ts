// Writes failures as a test file for `node --test`.

import type { FuzzFailure, FuzzReport } from "./fuzz.js";
import type { FuzzRequest } from "./fuzz-request.js";
import type { ReplayOptions } from "./replay.js";

export interface TestFileOptions {
  /** Module specifier of the application: "./app.js". */
  readonly module: string;
  /** Name of the exported ingress. */
  readonly ingress: string;
  /** Further exports of the module. */
  readonly exports: readonly ("resources" | "identities")[];
  /** Of the replay, beside the defaults. */
  readonly options: ReplayOptions;
  /** Command that runs the file. */
  readonly command: string;
}

export function testFile({ seed, failures }: FuzzReport, options: TestFileOptions): string {
  const { module, ingress, exports, command } = options;
  const imported = [ingress === "ingress" ? ingress : `${ingress} as ingress`, ...exports].join(", ");
  const application = `{ ${["ingress", ...exports].join(", ")} }`;
  const tests = failures.map((failure) => testOf(failure, options.options));
  return ascii(`// Written by framework fuzz, seed ${seed}. Run it with: ${command}

import { test } from "node:test";
import { replay } from "framework/fuzz";

import { ${imported} } from ${JSON.stringify(module)};

const application = ${application};

${tests.join("\n")}`);
}

function testOf({ route, message, requests, isReproduced }: FuzzFailure, given: ReplayOptions): string {
  const note = isReproduced ? "" : "// This did not happen again in an application of its own.\n";
  const sent = requests.map((request) => `    ${literal(request)},\n`).join("");
  const options = Object.keys(given).length === 0 ? "" : `, ${JSON.stringify(given)}`;
  return `${note}test(${JSON.stringify(`${route}: ${message}`)}, () =>
  replay(application, [\n${sent}  ]${options}));\n`;
}

/** A literal with that name would set the prototype. */
const literal = (request: FuzzRequest): string =>
  JSON.stringify(request).replaceAll('"__proto__":', '["__proto__"]:');

/** Without characters that editors show as others, or do not show. */
const ascii = (text: string): string =>
  text.replace(/[^\x20-\x7e\n]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
