import { processesOf } from "#core/ports/pool-threads.js";
import { aligned } from "./aligned.js";
import type { FrameworkConfig } from "./config.js";
import { shown } from "./key.js";
import { keys } from "./keys.js";
import { type Origin, shownOrigin } from "./origin.js";

/** Limits that are built into the native server: no key changes them. */
export const ENGINE_LIMITS: readonly (readonly [what: string, limit: string])[] = [
  ["a connection that sends nothing, or no whole head", "closed 8 to 12 s after it began"],
  ["an idle keep-alive connection", "closed after 8 to 12 s"],
  ["a body that stalls, or brings less than 16 KB/s", "closed after 8 to 12 s"],
  ["a client that takes nothing of its answer", "closed after 8 to 12 s"],
  ["header fields of a request", "at most 98, else 431"],
];

/** The effective value of each key and its layer, as text. Secrets are redacted. */
export function explain(config: FrameworkConfig): string {
  const rows = keys.map((key) => [
    key.path,
    shown(config.valueOf(key.path)),
    shownOrigin(config.originOf(key.path) as Origin),
  ]);
  return [
    `mode     ${config.mode.production ? "production" : "not production"}: ${config.mode.reason}`,
    `profile  ${config.profile === undefined ? "none" : JSON.stringify(config.profile)}`,
    `file     ${config.file ?? "none"}`,
    ...(config.serviceLinks.length > 0 ? [`ignored  ${ignoredLinks(config)}`] : []),
    "",
    ...aligned(rows),
    "",
    poolOf(config),
    bodiesOf(config),
    "",
    "Fixed by the engine; a proxy in front keeps its idle connections below 8 s:",
    ...aligned(ENGINE_LIMITS).map((line) => `  ${line}`),
    "",
  ].join("\n");
}

/** The variables of Kubernetes and how not to get them. */
export const ignoredLinks = ({ serviceLinks }: FrameworkConfig): string =>
  `${serviceLinks.join(", ")}: Kubernetes sets them for Services; \`enableServiceLinks: false\` in the pod's spec leaves them out`;

/** Totals that no single key states. */
function poolOf({ pool, server }: FrameworkConfig): string {
  const processes = processesOf(server.workers);
  const total = processes * pool.threads;
  return `Offloaded steps have ${total} ${total === 1 ? "thread" : "threads"} in all (${processes} x ${pool.threads}), with up to ${total * pool.memoryLimitMb} MB, and ${processes * pool.queue} places to wait.`;
}

function bodiesOf({ server }: FrameworkConfig): string {
  const { bodyLimitBytes, maxBodyBytesInFlight, maxInFlight } = server;
  const processes = processesOf(server.workers);
  const product = inMb(maxInFlight * bodyLimitBytes);
  return `Bodies take up to ${inMb(processes * maxBodyBytesInFlight)} MB of memory in all (${processes} x ${maxBodyBytesInFlight} bytes); without max_body_bytes_in_flight ${maxInFlight} of ${bodyLimitBytes} bytes could take ${product} MB in each process.`;
}

const inMb = (bytes: number): number => Math.ceil(bytes / 1_048_576);

/** The same as data. */
export function explained(config: FrameworkConfig): object {
  return {
    mode: { production: config.mode.production, reason: config.mode.reason },
    profile: config.profile ?? null,
    file: config.file ?? null,
    keys: keys.map((key) => ({
      key: key.path,
      value: config.valueOf(key.path) ?? null,
      origin: config.originOf(key.path),
      variable: key.variable,
    })),
    fixed_by_the_engine: ENGINE_LIMITS.map(([what, limit]) => ({ what, limit })),
  };
}
