import type { StatusData } from "../../src/inspector/ui/client/api.js";
import type { FixtureState } from "./inspector-fixture-state.js";

const CRATES = [
  "core",
  "macros",
  "runtime",
  "http",
  "std",
  "audit",
  "compliance",
  "inspector",
  "openapi",
  "facade",
];

export function statusOf({ role, runs, letters, breakpoints, audit }: FixtureState): StatusData {
  return {
    ...{
      service: "orders",
      service_version: "1.4.0",
      profile: "dev",
      production: false,
      started_at: Date.now() - 3_723_000,
      role,
    },
    ...{ framework: "0.30.0", schema_version: "1.0", api_version: "1.0", node: "v20.20.2" },
    native_server: {
      source: "uWebSockets.js, repackaged",
      version: "20.51.4",
      sha256: "4d482084b665c225892917ee0e9b9572d89eaa6f3dc200ff5e536293d3456c89",
      is_tested: true,
    },
    crates: CRATES.map((name) => ({
      name,
      status: name === "openapi" ? "planned" : "released",
      version: "0.30.0",
    })),
    artefacts: [
      { name: "schematic", version: "1.0" },
      { name: "store tables", version: "2" },
    ],
    capabilities: [
      { name: "traces", status: "available", note: null },
      { name: "breakpoints", status: "available", note: "16 held at once" },
      { name: "payloads", status: "available", note: "full, redacted" },
      { name: "runs", status: "off", note: "no run store is configured" },
      { name: "audit", status: audit === undefined ? "off" : "available", note: null },
    ],
    configuration: [
      { key: "server.bind", value: "127.0.0.1:3000", from: "framework.toml:3" },
      { key: "inspector.port", value: 3001, from: "default" },
      { key: "inspector.bearer_token", value: "[secret]", from: "FRAMEWORK_INSPECTOR_BEARER_TOKEN" },
      { key: "logging.level", value: "info", from: "framework.toml [profile.dev]" },
      { key: "inspector.capture_payloads", value: "full", from: "framework.toml:18" },
    ],
    limits: [
      { name: "head of a request", value: 16_384, unit: "bytes" },
      { name: "body", value: 1_048_576, unit: "bytes" },
      { name: "slow reader is cut", value: 10, unit: "s" },
    ],
    stores: [
      { name: "runs", count: runs.length, limit: 1000, bytes: 4_810_000, dropped: 1204 },
      { name: "feed", count: 8192, limit: 8192, bytes: null, dropped: 0 },
      { name: "dead letters", count: letters.length, limit: 1000, bytes: null, dropped: 0 },
      { name: "breakpoints", count: breakpoints.length, limit: 64, bytes: null, dropped: 0 },
    ],
    processes: [{ pid: 4711, role: "alone" }],
    addresses: ["http://127.0.0.1:3000"],
  };
}
