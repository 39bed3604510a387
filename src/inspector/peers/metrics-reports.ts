// The message with a process's metrics, and the schema to read it. Figures of a later build that
// this one does not know are dropped. A report with another format is rejected.

import { Type } from "@sinclair/typebox";

import { BUCKETS } from "#telemetry/metrics/measure/buckets.js";
import type { Family } from "#telemetry/metrics/measure/family.js";
import { CELLS } from "#telemetry/metrics/measure/log-linear.js";
import { type MetricsSnapshot, STATUS_CLASSES } from "#telemetry/metrics/metrics-snapshot.js";
import { WindowSeconds } from "../api/metrics.js";
import { Count, oneOf, orNull, Text } from "../api/shapes.js";
import { subject } from "./subject.js";

const Counted = {
  count: Count,
  faults: Type.Number(),
  errors: Type.Number(),
  refused: Type.Number(),
  /** Pairs of cell index and number of samples. The layout of the cells must be that of this build. */
  pairs: Type.Array(Count, { maxItems: 2 * CELLS }),
  sumUs: Type.Number(),
  maxUs: Type.Number(),
};
const Window = {
  ...Counted,
  seconds: WindowSeconds,
  spanMs: Type.Number(),
  waitedUs: Type.Optional(Type.Number()),
};
const Windows = Type.Array(Type.Object(Window));
/** Peers are never asked for HDR histograms, and an invalid one would throw when it is merged. */
const hdr = Type.Null();

const Node = Type.Object({
  node: Text,
  label: Text,
  kind: Text,
  place: Count,
  total: Count,
  totalFaults: Count,
  windows: Windows,
  hdr,
});

const Circuit = Type.Object({
  circuit: Text,
  version: Text,
  total: Count,
  totalFaults: Count,
  inFlight: Type.Number(),
  windows: Type.Array(Type.Object({ ...Window, refusedInput: Type.Number(), aborted: Type.Number() })),
  history: Type.Array(Type.Object({ ...Counted, second: Type.Number() })),
  nodes: Type.Array(Node),
  hdr,
});

const Route = Type.Object({
  method: Text,
  route: orNull(Text),
  statusClass: oneOf(...STATUS_CLASSES),
  total: Count,
});

const Process = Type.Object({
  pid: Count,
  uptimeMs: Type.Number(),
  cpuPpm: Type.Number(),
  heapUsedBytes: Type.Number(),
  heapLimitBytes: Type.Number(),
  rssBytes: Type.Number(),
  loopDelayP99Us: Type.Number(),
  loopUtilisation: Type.Number(),
});

const Cells = Type.Object({ pairs: Counted.pairs, sumUs: Counted.sumUs, maxUs: Counted.maxUs });
const Pool = Type.Object({
  threads: Count,
  running: Count,
  waiting: Count,
  queue: Count,
  steps: Type.Array(
    Type.Object({
      step: Text,
      ends: Type.Array(Type.Object({ end: Text, count: Count })),
      waited: Cells,
      ran: Cells,
    }),
  ),
});

export const SNAPSHOT = subject<MetricsSnapshot>(
  "metrics snapshot",
  Type.Object({
    at: Type.Number(),
    processes: Count,
    http: Type.Object({ windows: Windows, byRoute: Type.Array(Route), inFlight: Type.Number() }),
    process: Process,
    circuits: Type.Array(Circuit),
    pool: orNull(Pool),
  }),
);

const Named = { name: Text, help: Text };
const Numbers = Type.Array(Type.Tuple([Text, Type.Number()]));
const Histograms = Type.Array(
  Type.Tuple([
    Text,
    Type.Object({
      buckets: Type.Array(Type.Number(), { minItems: BUCKETS.length, maxItems: BUCKETS.length }),
      count: Type.Number(),
      sum: Type.Number(),
    }),
  ]),
);

export const FAMILIES = subject<readonly Family[]>(
  "metrics families",
  Type.Array(
    Type.Union([
      Type.Object({ ...Named, type: Type.Literal("counter"), series: Numbers }),
      Type.Object({
        ...Named,
        type: Type.Literal("gauge"),
        merging: oneOf("sum", "max", "min"),
        series: Numbers,
      }),
      Type.Object({ ...Named, type: Type.Literal("histogram"), series: Histograms }),
    ]),
  ),
);
