import { flag, headers, list, name, oneOf, ratio, textByName, token, url, whole, wordByName } from "./key.js";
import { isHost } from "./server-keys.js";

const LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export const logging = {
  format: oneOf(["json", "pretty", "compact"], {
    default: {
      from: (rest) => (rest.terminal ? "pretty" : "json"),
      words: "pretty on a terminal, else json",
    },
    example: "json",
    doc: "How log lines are written.",
  }),
  level: oneOf(LEVELS, {
    default: "info",
    doc: "The least level that is written.",
  }),
  moduleLevels: wordByName(LEVELS, {
    default: {},
    doc: 'Levels of single modules: { http = "debug" }, in the variable http=debug,store=warn.',
  }),
  sensitiveNames: list("names such as customer_number", (item) => /^[\p{L}][\p{L}\d_.-]{1,99}$/u.test(item), {
    default: [],
    example: ["customer_number"],
    doc: "Names of fields, parameters and headers whose values are masked, beside those that the framework knows.",
  }),
};

export const telemetry = {
  enabled: flag({
    default: true,
    otel: {
      traces: "OTEL_TRACES_EXPORTER",
      name: "OTEL_SDK_DISABLED",
      // Other exporters than "none" decide nothing, and only "true" disables.
      applies: (env, name) => name !== "OTEL_TRACES_EXPORTER" || env[name]?.toLowerCase() === "none",
      translate: (given) => String(!["true", "none"].includes(given.toLowerCase())),
    },
    doc: "Whether traces are sent where an endpoint is set.",
  }),
  otlpEndpoint: url<string | undefined>(["http://", "https://"], {
    default: undefined,
    example: "http://127.0.0.1:4317",
    otel: { name: "OTEL_EXPORTER_OTLP_ENDPOINT" },
    doc: "Where traces go; unset: nowhere, at no cost. Over HTTP a base, below which /v1/traces is.",
  }),
  otlpTracesEndpoint: url<string | undefined>(["http://", "https://"], {
    default: undefined,
    example: "http://127.0.0.1:4318/v1/traces",
    otel: { name: "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT" },
    doc: "The same in place of otlp_endpoint, and used as it is.",
  }),
  otlpProtocol: oneOf(["grpc", "http"], {
    default: "grpc",
    otel: {
      traces: "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
      name: "OTEL_EXPORTER_OTLP_PROTOCOL",
      translate: (given) => PROTOCOLS.get(given),
      expected: 'one of "grpc", "http/protobuf"',
    },
    doc: "How traces are sent.",
  }),
  otlpHeaders: headers({
    default: {},
    otel: { traces: "OTEL_EXPORTER_OTLP_TRACES_HEADERS", name: "OTEL_EXPORTER_OTLP_HEADERS" },
    doc: 'What goes with each batch, credentials for instance: { authorization = "Basic ..." }, in the variable authorization=Basic%20....',
  }),
  serviceName: name("a text that is not empty", () => true, {
    default: "framework",
    otel: { name: "OTEL_SERVICE_NAME" },
    doc: "The name of this service in traces.",
  }),
  resourceAttributes: textByName({
    default: {},
    otel: { name: "OTEL_RESOURCE_ATTRIBUTES" },
    doc: 'What else is said of this service: { "deployment.environment.name" = "test" }, in the variable deployment.environment.name=test,host.name=a.',
  }),
  sampleRatio: ratio({
    default: 1,
    otel: { name: "OTEL_TRACES_SAMPLER_ARG", applies: (env) => isRatio(env["OTEL_TRACES_SAMPLER"]) },
    doc: "The part of the traces begun here that is kept.",
  }),
  maxQueueSize: whole(1, 1_000_000, {
    default: 4096,
    otel: { name: "OTEL_BSP_MAX_QUEUE_SIZE" },
    doc: "Spans that wait to be sent; what more there is is dropped, and counted.",
  }),
  maxExportBatchSize: whole(1, 100_000, {
    default: {
      from: (rest) => Math.min(512, Number(rest.value("telemetry.max_queue_size"))),
      words: "512, or max_queue_size where that is less",
    },
    example: 512,
    otel: { name: "OTEL_BSP_MAX_EXPORT_BATCH_SIZE" },
    doc: "Spans that are sent at once.",
  }),
  scheduleDelayMs: whole(0, 3_600_000, {
    default: 2000,
    otel: { name: "OTEL_BSP_SCHEDULE_DELAY" },
    doc: "How long a span waits for others to be sent with.",
  }),
  exportTimeoutMs: whole(1, 3_600_000, {
    default: 10_000,
    otel: { name: "OTEL_BSP_EXPORT_TIMEOUT" },
    doc: "After how long a batch is given up that the endpoint does not take.",
  }),
};

export const inspector = {
  enabled: flag({
    default: { from: (rest) => !rest.production, words: "true outside production, else false" },
    // True needs a token in production.
    example: false,
    doc: "Serve the Inspector.",
  }),
  host: name("an address or a host name, without a port", isHost, {
    default: "127.0.0.1",
    doc: "The address that the Inspector listens on.",
  }),
  port: whole(0, 65_535, {
    default: 3001,
    doc: "The port that the Inspector listens on.",
  }),
  bearerToken: token({
    default: undefined,
    example: "",
    doc: "Lets an operator in. Better in the variable than in the file.",
  }),
  viewerToken: token({
    default: undefined,
    example: "",
    doc: "Lets someone in who may only look.",
  }),
  capturePayloads: oneOf(["off", "hash", "full"], {
    default: "off",
    doc: "What is kept of inputs and outputs.",
  }),
  stallThresholdMs: whole(1, 86_400_000, {
    default: 30_000,
    doc: "A step that takes longer is reported as stalled.",
  }),
  metricsIntervalMs: whole(100, 3_600_000, {
    default: 1000,
    doc: "How often metrics are sent to who watches.",
  }),
  sampleRatio: ratio({
    default: 1,
    doc: "The part of the runs that is traced for the Inspector.",
  }),
};

const PROTOCOLS = new Map([
  ["grpc", "grpc"],
  ["http/protobuf", "http"],
]);

// Other samplers have another kind of argument.
const isRatio = (sampler: string | undefined): boolean =>
  sampler === undefined || sampler === "" || sampler.endsWith("traceidratio");
