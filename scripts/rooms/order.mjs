// The rooms of each layer, from the ground up: a room imports the rooms before it.

/** The files that stand in the layer's own folder. Its index.ts is none of them. */
export const TOP = "top-level files";

/**
 * A room is a folder with all below it, unless a folder below is a room of its own. Layers that
 * have no order yet are not here.
 */
export const ROOMS = {
  core: [TOP, "net", "secrets", "wire", "bus", "iam", "facts", "timeline", "ports", "flow"],
  schema: ["tree", "formats", "redaction", "compile", "sample"],
  identity: [TOP, "jwt", "introspection", "api-keys", "cache"],
  runtime: [
    "definition",
    "run",
    "check",
    "kept",
    "trace",
    "execute",
    "steps",
    "watch",
    "compile",
    "draw",
    "axon",
    "replay",
    "hosting",
    "testing",
  ],
  telemetry: ["logging", "metrics/measure", "metrics", "tracing", TOP],
  std: [TOP, "memory", "nodes", "access-log", "guards", "sessions"],
  audit: ["event", "chain", "sinks", TOP],
  compliance: ["classes", "detection", "encryption", "erasure"],
  store: ["threads", "sql", "postgres", "sqlite", "redis", "runs", "subjects", TOP],
  http: [
    "refusal",
    "tls",
    "native",
    "client",
    "exchange",
    "routing",
    "input",
    "plan",
    "answer",
    "idempotency",
    "request",
    "sse",
    "websocket",
    "static",
    "description",
    "serving",
    "ingress",
    "outgoing",
    "testing",
  ],
  inspector: [
    "api",
    "door",
    "recording",
    "feed",
    "traces",
    "unmatched",
    "stalls",
    "in-flight",
    "offload",
    "dead-letters",
    "runs",
    "search",
    "alerts",
    "breakpoints",
    "operators",
    "chain",
    "peers",
    "server",
    "relay",
    TOP,
    "ui",
  ],
  cli: ["terminal", "application", "compliance", "runs", "commands", TOP],
};

export const MAX_FILES = 25;

/** Folders of many small files that are found by name. */
export const LARGE_FOLDERS = ["native-tests/support", "native-tests/wire"];
