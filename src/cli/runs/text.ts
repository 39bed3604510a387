// Runs and dead letters as text for a terminal. Stored texts pass `visible`.

import { aligned } from "#config/aligned.js";
import { visible } from "#core/wire/visible-text.js";
import type { Letter, RunRow, ShownRun } from "./place.js";

type Rows = readonly (readonly string[])[];

export const runRows = (runs: readonly RunRow[]): Rows => [
  ["RUN", "AXON", "STATE", "NODE", "BEGAN", "LAST", ""],
  ...runs.map((run) => [
    ...[visible(run.run_id), visible(run.axon), run.state, visible(run.node ?? "-")],
    ...[timeOf(run.began_at), timeOf(run.ended_at ?? run.last_at), visible(remarkOf(run))],
  ]),
];

function remarkOf({ wait, unfit, cancel, owner, state, labels }: RunRow): string {
  const isLost = state === "running" && owner?.is_alive === false;
  const parts = [
    waitText(wait),
    unfit ?? "",
    cancel === null || state === "cancelled" ? "" : "is to be cancelled",
    isLost ? "its host does not live" : "",
    labelText(labels),
  ];
  return parts.filter((part) => part !== "").join("; ");
}

function waitText(wait: RunRow["wait"]): string {
  if (wait === null) return "";
  const signals = wait.signals.length > 0 ? `for ${wait.signals.join(", ")}` : "";
  const until = wait.until === null ? "" : `until ${timeOf(wait.until)}`;
  return [signals, until].filter((part) => part !== "").join(" ") || "due";
}

const labelText = (labels: Readonly<Record<string, string>> = {}): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}:${value}`)
    .join(" ");

export function runText(run: ShownRun): string {
  const { owner, cancel, fault, unfit } = run;
  const alive = owner?.is_alive === true ? "alive" : owner?.is_alive === false ? "not alive" : "unknown";
  const facts = factRows([
    ["run", run.run_id],
    ["axon", `${run.axon} ${run.version}`],
    ["state", run.state],
    ["node", run.node],
    ["began", timeOf(run.began_at)],
    ["last entry", timeOf(run.last_at)],
    ["host", owner === null ? "" : `${owner.host}, ${alive}`],
    ["waits", waitText(run.wait)],
    ["labels", labelText(run.labels)],
    ["unfit", unfit ?? ""],
    [
      "cancel",
      cancel === null ? "" : `${cancel.reason}${cancel.actor === null ? "" : `, by ${cancel.actor}`}`,
    ],
    ["fault", fault === null ? "" : `${fault.code ?? ""} ${fault.title}`.trim()],
    ["input", valueText(run.input)],
    ...Object.entries(run.bus).map(([key, value]) => [`bus ${key}`, valueText(value)]),
    ["output", valueText(run.output)],
    ["error", valueText(run.error)],
    ...run.completed.map(({ node, input, output }) => [
      `done ${node}`,
      `${valueText(input)} -> ${valueText(output)}`,
    ]),
    ...run.signals.map(({ name, id, payload }) => [`signal ${name}`, `${id} ${valueText(payload)}`]),
  ]);
  const history = run.entries.map(({ kind, at, node, epoch, wait, woken }) => [
    ...[timeOf(at), kind, visible(node ?? "-")],
    visible(
      [epoch === null ? "" : `process ${epoch}`, waitText(wait), wokenText(woken)]
        .filter((part) => part !== "")
        .join("; "),
    ),
  ]);
  return `${[...facts, "", ...aligned([["AT", "EVENT", "NODE", ""], ...history])].join("\n")}\n`;
}

function wokenText(woken: ShownRun["entries"][number]["woken"]): string {
  if (woken === null) return "";
  if (woken.by === "time") return "woken by its time";
  const payload = woken.payload.kind === "full" ? ` ${valueText(woken.payload.value)}` : "";
  return `woken by ${woken.signal}${woken.actor === null ? "" : ` of ${woken.actor}`}${payload}`;
}

const valueText = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));

const factRows = (rows: readonly (readonly string[])[]): readonly string[] =>
  aligned(rows.filter(([, value]) => value !== "").map((row) => row.map(visible)));

export const letterRows = (letters: readonly Letter[]): Rows => [
  ["LETTER", "AXON", "NODE", "FAILED", "ATTEMPTS", "ERROR"],
  ...letters.map(({ id, axon, node, failed_at, attempts, error, labels }) => [
    ...[visible(id), visible(axon), visible(node), timeOf(failed_at), String(attempts)],
    visible([error.code ?? "", error.title, labelText(labels)].filter((part) => part !== "").join(" ")),
  ]),
];

export function letterText(letter: Letter): string {
  const { id, kind, axon, version, node, failed_at, attempts, labels, error, values = {} } = letter;
  const rows = factRows([
    ["letter", id],
    ["of", kind],
    ["axon", `${axon} ${version}`],
    ["node", node],
    ["failed", timeOf(failed_at)],
    ["attempts", String(attempts)],
    ["labels", labelText(labels)],
    ["fault", `${error.code ?? ""} ${error.title}`.trim()],
    ...Object.entries(values).map(([name, value]) => [name, valueText(value)]),
  ]);
  return `${rows.join("\n")}\n`;
}

/** To the second. */
const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, "Z");
