// Proves that each checker of the gate finds its fault: plants the fault in a copy of the
// repository and expects red.

import { appendFileSync, cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLine } from "./command-line.mjs";
import { makeCopy, replaceIn, restore, runIn } from "./repository-copy.mjs";
import { MAP } from "./tests/coverage-map.mjs";

const LINT = "biome check --error-on-warnings .";
const ROOMS = "node scripts/rooms.mjs";
const TYPES = "tsc -p tsconfig.json";
const DEAD_CODE = "knip --tsConfig src/tsconfig.json";
const PACKAGE = "node scripts/build.mjs && node scripts/check-package.mjs";
const PUBLIC_TYPES = "tsc -p src/tsconfig.json && node scripts/api-report.mjs --check";

const COVERAGE = "node scripts/coverage.mjs src/core/mode.ts";

const NO_CODE = "node scripts/test.mjs --no-codegen native-tests/http/ingress/mounting.test.ts";

/** Building and compiling the package takes half a minute of a core. */
const TIMEOUT_MS = 180_000;

const ON_BUNDLE = "node scripts/test.mjs native-tests/wire/requests.test.ts";

const append = (file, text) => (copy) => appendFileSync(join(copy, file), text);
const write = (file, text) => (copy) => writeFileSync(join(copy, file), text);
const fill = (folder, count) => (copy) => {
  mkdirSync(join(copy, folder), { recursive: true });
  for (let n = 1; n <= count; n += 1) writeFileSync(join(copy, folder, `planted-${n}.ts`), "");
};
const replace = (file, from, to) => (copy) => replaceIn(copy, file, from, to);

/** Each fault, the checker that must find it, and the expected message. */
const FAULTS = [
  {
    name: "an import against the layers",
    plant: append("src/core/mode.ts", '\nexport { Program } from "#runtime/compile/program.js";\n'),
    check: LINT,
    says: /noRestrictedImports/,
  },
  {
    name: "an import of the ingress by what knows no ingress",
    plant: append("src/macros/routes.ts", '\nexport { http } from "#http/ingress/ingress.js";\n'),
    check: LINT,
    says: /macros may import only/,
  },
  {
    name: "an import by the configuration of who is configured",
    plant: append("src/config/origin.ts", '\nexport { Program } from "#runtime/compile/program.js";\n'),
    check: LINT,
    says: /config may import only: core, schema/,
  },
  {
    name: "an import of the Inspector by what it inspects",
    plant: append(
      "src/http/refusal/address.ts",
      '\nexport { BearerAuth } from "#inspector/door/bearer-auth.js";\n',
    ),
    check: LINT,
    says: /http may import only/,
  },
  {
    name: "an import of another layer by its path",
    plant: append("src/runtime/check/used-keys.ts", '\nexport { mode } from "../core/mode.js";\n'),
    check: LINT,
    says: /noRestrictedImports/,
  },
  {
    name: "a static import of the native server",
    plant: append("src/http/native/gate.ts", '\nexport * from "uWebSockets.js";\n'),
    check: LINT,
    says: /noRestrictedImports/,
  },
  {
    name: "an import cycle",
    plant: append("src/core/interned.ts", '\nexport { Control } from "./bus/outcome.js";\n'),
    check: LINT,
    says: /noImportCycles/,
  },
  {
    name: "an import of a later room",
    plant: append("src/core/net/loopback.ts", '\nexport type { Schematic } from "../flow/schematic.js";\n'),
    check: ROOMS,
    says: /loopback\.ts: imports src\/core\/flow\/schematic\.ts, but in core net comes before flow/,
  },
  {
    name: "a circle of types",
    plant: append("src/core/interned.ts", '\nexport type { Control } from "./bus/outcome.js";\n'),
    check: ROOMS,
    says: /a circle of imports \(types count\), src\/core\/bus\/outcome\.ts -> .*interned\.ts/,
  },
  {
    name: "a folder without a place in the order of its layer",
    plant: fill("src/std/planted", 1),
    check: ROOMS,
    says: /src\/std\/planted: is in no room of std/,
  },
  {
    name: "a 26th file",
    plant: fill("src/std/nodes/planted", 26),
    check: ROOMS,
    says: /src\/std\/nodes\/planted: has 26 files/,
  },
  {
    name: "a floating promise",
    plant: append(
      "src/http/refusal/address.ts",
      "\nexport function planted(): void {\n  Promise.resolve(1);\n}\n",
    ),
    check: LINT,
    says: /noFloatingPromises/,
  },
  {
    name: "code that is not formatted",
    plant: append("src/core/mode.ts", "\nexport const planted   =  1\n"),
    check: LINT,
    says: /Formatter would have printed/,
  },
  {
    name: "a type error in an example",
    plant: replace("examples/orders/loyal-discount.ts", "Math.round(", "String("),
    check: TYPES,
    says: /TS2345|TS2322|not assignable/,
  },
  {
    name: "an expected type error that is none",
    plant: append(
      "native-tests/types/axon.types.ts",
      "\n// @ts-expect-error nothing is wrong here\nexport const planted = 1;\n",
    ),
    check: TYPES,
    says: /Unused '@ts-expect-error'/,
  },
  {
    name: "a file that nothing uses",
    plant: write("src/core/planted.ts", "export const planted = 1;\n"),
    check: DEAD_CODE,
    says: /Unused files/,
  },
  {
    name: "an export that nothing uses",
    plant: append("src/runtime/run/node-id.ts", "\nexport const planted = 1;\n"),
    check: DEAD_CODE,
    says: /Unused exports/,
  },
  {
    name: "a dependency that nothing uses",
    plant: replace("package.json", '"dependencies": {', '"dependencies": {\n    "planted": "1.0.0",'),
    check: DEAD_CODE,
    says: /Unused dependencies/,
  },
  {
    name: "a broken exports entry",
    plant: replace("package.json", '"./dist/http/index.js"', '"./dist/http/planted.js"'),
    check: PACKAGE,
    says: /does not exist|planted/,
  },
  {
    name: "a declaration that imports by #layer",
    plant: replace("scripts/declarations.mjs", "    TSImportType: add,\n", ""),
    check: PACKAGE,
    says: /TS2307: Cannot find module '#/,
  },
  {
    name: "a declaration that imports an optional peer",
    plant: append("src/core/index.ts", '\nexport type { Client as Planted } from "pg";\n'),
    check: PACKAGE,
    says: /TS2307: Cannot find module 'pg'/,
  },
  {
    name: "a public type that no report has",
    plant: append("src/core/index.ts", "\nexport type Planted = string;\n"),
    check: PUBLIC_TYPES,
    says: /docs\/api is not up to date/,
  },
  {
    name: "code that is generated where it must not be",
    plant: replace("src/runtime/compile/program.ts", "?? mayGenerateCode()", "?? true"),
    check: NO_CODE,
    says: /Code generation from strings disallowed/,
  },
  {
    name: "a call that the bundle alone lacks",
    plant: (copy) => {
      replaceIn(
        copy,
        "scripts/bundle.mjs",
        "{ input: { treeshake: false }, output: { minify: false } }",
        "{}",
      );
      const used = 'return decodeURIComponent(text) !== "";';
      replaceIn(copy, "src/http/native/gate.ts", used, "decodeURIComponent(text);\n    return true;");
    },
    check: ON_BUNDLE,
    says: /with a query that is malformed are 400/,
  },
  {
    name: "code that no test runs",
    plant: append(
      "src/core/mode.ts",
      `\nexport function planted(n: number): number {\n${"  if (n > 1) return planted(n - 1);\n".repeat(400)}  return n;\n}\n`,
    ),
    check: COVERAGE,
    says: /% of \d+ lines of functions ran/,
  },
];

commandLine(`npm run plant-faults

Plants in a copy, and expects red:
${FAULTS.map(({ name }) => `  ${name}`).join("\n")}`);

let unseen = 0;
const copy = makeCopy();
if (!existsSync(MAP)) throw new Error("No run has written what ran: npm test -- --map");
cpSync(MAP, join(copy, MAP));
// A checker that fails without a fault proves nothing.
for (const check of new Set(FAULTS.map((fault) => fault.check))) {
  const { passed, output } = await runIn(copy, check, { timeoutMs: TIMEOUT_MS });
  if (!passed) throw new Error(`Without a fault this is red already: ${check}\n${output.slice(-2000)}`);
}
for (const { name, plant, check, says } of FAULTS) {
  plant(copy);
  const { passed, output } = await runIn(copy, check, { timeoutMs: TIMEOUT_MS });
  const seen = !passed && says.test(output);
  console.log(`${seen ? "seen  " : "UNSEEN"}  ${name}  (${check})`);
  if (!seen) {
    unseen += 1;
    console.log(output.slice(-2000));
  }
  restore(copy);
}
process.exit(unseen === 0 ? 0 : 1);
