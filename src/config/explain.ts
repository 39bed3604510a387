import type { FrameworkConfig } from "./config.js";
import { shown } from "./key.js";
import { keys } from "./keys.js";
import { type Origin, shownOrigin } from "./origin.js";

/** What no key can change: the native server has these built in. */
export const ENGINE_LIMITS: readonly (readonly [what: string, limit: string])[] = [
  ["a head that does not end", "closed after 10 to 12 s"],
  ["a body below about 16 KB/s", "closed after 10 to 12 s"],
  ["an idle keep-alive connection", "closed after 10 to 12 s"],
  ["a client that does not read its answer", "closed after 10 to 12 s"],
];

/** Each key's effective value and the layer it came from, for people. Secrets are redacted. */
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
    "",
    ...aligned(rows),
    "",
    "Fixed by the engine; a proxy in front keeps its idle connections shorter than that:",
    ...aligned(ENGINE_LIMITS).map((line) => `  ${line}`),
    "",
  ].join("\n");
}

/** Columns under each other. A long value pushes only its own row to the right. */
function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] as string).length).filter((length) => length <= 40)),
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] as number))
      .join("  ")
      .trimEnd(),
  );
}
