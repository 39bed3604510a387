// Lines of metrics. mutate.mjs says what a row is.

const PERCENTILES = "native-tests/telemetry/metrics/measure/percentiles.test.ts";
const METRIC_WINDOWS = "native-tests/telemetry/metrics/windows.test.ts";
const METRICS =
  "native-tests/telemetry/metrics/metrics.test.ts native-tests/telemetry/metrics/http-series.test.ts";
const ERRORS = "native-tests/telemetry/metrics/errors-and-refusals.test.ts";
const PROMETHEUS = "native-tests/telemetry/metrics/prometheus-text.test.ts";

export default [
  [
    "metrics: a fault that is answered with 4xx is a refusal",
    "src/telemetry/metrics/circuit-series.ts",
    "status > 0 && status < 500",
    "status > 0 && status < 400",
    ERRORS,
  ],
  [
    "metrics: a request whose time was up is an error",
    "src/telemetry/metrics/circuit-series.ts",
    "if (status >= 500) this.#count(GAVE_UP);",
    "",
    ERRORS,
  ],
  [
    "metrics: what is not traced is shared out as what is",
    "src/telemetry/metrics/circuit-snapshots.ts",
    "return Math.round(history.during(all, first, last) * share);",
    "return history.during(some, first, last);",
    ERRORS,
  ],
  [
    "metrics: a percentile reaches its rank",
    "src/telemetry/metrics/measure/percentiles.ts",
    "while (this.#passed < rank)",
    "while (this.#passed <= rank)",
    PERCENTILES,
  ],
  [
    "metrics: no percentile is above the longest",
    "src/telemetry/metrics/measure/percentiles.ts",
    "return Math.min(middleOf(pairs[this.#at] as number), maxUs);",
    "return middleOf(pairs[this.#at] as number);",
    PERCENTILES,
  ],
  [
    "metrics: a second leaves the window after sixty",
    "src/telemetry/metrics/measure/recent-samples.ts",
    "this.#forget(tick - KEPT_TICKS);",
    "",
    METRIC_WINDOWS,
  ],
  [
    "metrics: a ring that grows keeps its order",
    "src/telemetry/metrics/measure/recent-samples.ts",
    "    this.#first = 0;\n  }\n\n  #word",
    "  }\n\n  #word",
    METRIC_WINDOWS,
  ],
  [
    "metrics: a slab is empty after its second",
    "src/telemetry/metrics/measure/latency-series.ts",
    "    slab.clear();",
    "",
    METRIC_WINDOWS,
  ],
  [
    "metrics: counters are compared with the tick before the window",
    "src/telemetry/metrics/measure/count-history.ts",
    "this.#upTo(firstTick - 1, counter)",
    "this.#upTo(firstTick, counter)",
    METRIC_WINDOWS,
  ],
  [
    "metrics: quotes end no label",
    "src/telemetry/metrics/prometheus-text.ts",
    '.replace(/[\\\\"\\n]/g',
    ".replace(/[\\\\\\n]/g",
    PROMETHEUS,
  ],
  [
    "metrics: a family has no more series than it may",
    "src/telemetry/metrics/metrics-registry.ts",
    "series.size < this.#maxSeries && ",
    "",
    PROMETHEUS,
  ],
  [
    "metrics: methods that are none are one",
    "src/telemetry/metrics/http-series.ts",
    "METHODS.has(method) ? method : OTHER",
    "method",
    METRICS,
  ],
  [
    "metrics: circuits of one name are one",
    "src/telemetry/metrics/circuits-series.ts",
    "this.#byName.get(circuit.name) ?? new CircuitSeries(",
    "new CircuitSeries(",
    METRICS,
  ],
];
