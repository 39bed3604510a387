import { microSuite } from "../measure/micro.mjs";

const RUNS = 100;

/** Metrics of one circuit of so many nodes, each of which was traced. */
async function watched(nodes) {
  const { Metrics } = await import("../.build/internals.js");
  const metrics = new Metrics();
  const ids = Array.from({ length: nodes }, (_, at) => `checkout/step "${at}"`);
  const circuit = {
    name: "checkout",
    version: "1.0.0",
    nodes: ids.map((id) => ({ id, label: id })),
    counts: {
      entered: new Float64Array(nodes).fill(RUNS),
      faulted: new Float64Array(nodes).fill(1),
      runs: { begun: RUNS, refused: 0, failed: 0 },
    },
    watch: () => {},
  };
  metrics.recorder.mounted(circuit);
  for (let run = 0; run < RUNS; run += 1) {
    const events = ids.map((node, at) => ({
      kind: "node_exit",
      node,
      at_us: at,
      outcome: "next",
      duration_us: (at * 37 + run * 101) % 20_000,
    }));
    metrics.recorder.ended({ circuit, timeline: { events, dropped: 0 } }, undefined);
  }
  metrics.tick();
  return metrics;
}

async function counted(series) {
  const { Metrics } = await import("../.build/internals.js");
  const metrics = new Metrics();
  const rows = Array.from({ length: series }, (_, at) => [[`queue ${at}`], at]);
  metrics.registry.counter({ name: "jobs_total", help: "Jobs.", labels: ["queue"] }, () => rows);
  return metrics;
}

const scrape = (metrics) => () => metrics.text();

export default microSuite(import.meta.url, {
  name: "metrics-scrape",
  title: "A scrape of /metrics",
  unit: "ns a scrape",
  measures:
    "making the text of one scrape: of 1000 counters with a label; of a circuit of 1000 nodes, two counters and a histogram with 20 lines each, 22 000 lines; of the process alone, which is in the others too.",
  leavesOut: "HTTP, merging what several processes say, ticks.",
  inputs: () => [0],
  runsPerCall: 5,
  score: (text) => (text.endsWith("\n") ? 1 : 0),
  arms: [
    { name: "the process alone", ours: true, prepare: async () => scrape(await counted(0)) },
    { name: "1000 counters", ours: true, prepare: async () => scrape(await counted(1000)) },
    { name: "1000 nodes", ours: true, prepare: async () => scrape(await watched(1000)) },
  ],
  bars: [
    { arm: "1000 counters", of: "figure", atMost: 10_000_000, aim: 2_000_000 },
    { arm: "1000 nodes", of: "figure", atMost: 10_000_000, aim: 5_000_000 },
  ],
});
