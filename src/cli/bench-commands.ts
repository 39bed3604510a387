import type { Command } from "./terminal/command.js";

export const benchCommands: readonly Command[] = [
  {
    name: "bench",
    summary: "how long an application's Axons, functions and routes take",
    help: `framework bench FILE [--compare BASE.json] [--fail-over 10%] [--out FILE] [--json | --markdown]

Measures the benchmarks that FILE declares, in rounds, each measurement in a process of its own:

  import { bench } from "framework/bench";
  bench("price an order", priceOrder, order);          // an Axon, with what its execute takes
  bench("by hand", () => price(order));                // a function
  bench.route("POST /orders", { body: order });        // of the ingress that FILE exports

Each is measured twice a round, once as its own control: what both differ by is noise. FILE
exports the ingress as for framework routes, and resources() as for framework fuzz.

  framework bench dist/bench.js --out base.json
  framework bench dist/bench.js --compare base.json --fail-over 15%

Exits with 0, 1 where a figure fell or a budget is exceeded, 2 where FILE cannot be measured.

  --compare BASE.json  the --out of an earlier run, of the base of a pull request say
  --fail-over PERCENT  what a figure may lose against it, 10% by default
  --out FILE           writes the figures, for a later --compare
  --json               prints the figures as JSON
  --markdown           prints tables for a pull request
  --rounds N           default 7
  --seconds N          of each measurement, default 0.5
  --connections N      to a route, default 16
  --export NAME        the export that is the ingress

For Axons and functions: npm install --save-dev tinybench
`,
    options: {
      compare: { type: "string" },
      "fail-over": { type: "string" },
      out: { type: "string" },
      json: { type: "boolean" },
      markdown: { type: "boolean" },
      rounds: { type: "string" },
      seconds: { type: "string" },
      connections: { type: "string" },
      export: { type: "string" },
    },
    operands: 1,
    run: async (given, surroundings) => (await import("./commands/bench.js")).bench(given, surroundings),
  },
];
