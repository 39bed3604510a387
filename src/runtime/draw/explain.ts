import type { AnyKey } from "#core/bus/bus-key.js";
import { RequestHeaders } from "#core/facts/ingress-facts.js";
import type { AnyLayer } from "#core/flow/layer.js";
import type { AnyTransition, Declarations } from "#core/flow/transition.js";
import type { StepAudit } from "#core/ports/audit-use.js";
import { Program } from "../compile/program.js";
import { resumeCode, runCode } from "../compile/straight.js";
import type { AxonDefinition, StepDefinition } from "../definition/axon-definition.js";
import type { CallSite } from "../definition/call-site.js";
import { drawnIam } from "../definition/iam-definition.js";
import type { RetryPolicy } from "../definition/retry-policy.js";
import type { Compensation } from "../definition/saga-policy.js";
import { decided } from "../definition/surroundings.js";
import type { WaitDefinition } from "../definition/wait.js";

/**
 * An Axon as text, a line a step:
 *
 *     orders 1.0.0
 *       @again
 *       1 price  reads Catalogue; writes Total  (src/orders.ts:12)
 *       2 rate   branches to vip  (src/orders.ts:13)
 *         vip: loyal
 *           1 discount  (src/loyal.ts:3)
 */
export function explain(axon: AxonDefinition, options: { readonly code?: boolean }): string {
  const known = decided(axon);
  const lines = [
    `${axon.name} ${axon.version}`,
    ...[...lockOf(axon), ...keptOf(axon)].map((line) => `  ${line}`),
    ...describeFront(known),
    ...describe(known, "  "),
  ];
  if (options.code === true) {
    const program = new Program(axon);
    lines.push("", runCode(program), resumeCode(program));
  }
  return `${lines.join("\n")}\n`;
}

/** The lines of its own steps only, without the front of an ingress. */
export const explainSteps = (axon: AxonDefinition): readonly string[] =>
  describeSteps(axon.steps, "", (index) => labelsAt(axon, index, ""));

/** Bus keys, jumps, branches and events that a step, guard or layer declares: "reads Catalogue; writes Total". */
export const explainDeclarations = (step: AnyTransition | AnyLayer): string => declarationsOf(step);

function lockOf({ mode }: AxonDefinition): readonly string[] {
  return mode.kind === "local" ? [] : [`once at a time: lock ${mode.lockKey}, ${mode.ttlMs} ms`];
}

function describeFront({ layers, guards }: AxonDefinition): readonly string[] {
  const lineOf = (what: string, step: AnyTransition | AnyLayer): string =>
    [`  ${what} ${step.name}`, declarationsOf(step)].join("  ").trimEnd();
  return [
    ...layers.map(({ layer }) => lineOf("layer", layer)),
    ...guards.map(({ transition }) => lineOf("guard", transition)),
  ];
}

function keptOf({ persistence }: AxonDefinition): readonly string[] {
  if (persistence === undefined) return [];
  const when = {
    sync: "each step, before the next",
    async: "each step, while the run goes on",
    none: "that a run began, and how it ended",
  };
  return [`kept: ${when[persistence.checkpoint]}`];
}

function boundaryOf({ iam }: AxonDefinition, indent: string): readonly string[] {
  if (iam === undefined) return [];
  const { policy, verifier, token, weakened } = drawnIam(iam);
  const why = weakened === undefined ? "" : `; weakened: ${weakened}`;
  return [`${indent}iam ${policy}; ${token} verified by ${verifier}${why}`];
}

function describe(axon: AxonDefinition, indent: string): readonly string[] {
  const lines = describeSteps(axon.steps, indent, (index) => labelsAt(axon, index, indent));
  return [...boundaryOf(axon, indent), ...lines, ...labelsAt(axon, axon.steps.length, indent)];
}

function describeSteps(
  steps: readonly StepDefinition[],
  indent: string,
  before: (index: number) => readonly string[],
): readonly string[] {
  const width = Math.max(...steps.map((step) => step.transition.name.length), 0);
  return steps.flatMap((step, index) => [
    ...before(index),
    [`${indent}${index + 1} ${step.transition.name.padEnd(width)}`, ...detailsOf(step)].join("  ").trimEnd(),
    ...insideOf(step, indent),
    ...[...step.branches].flatMap(([id, body]) => [
      [`${indent}  ${id}: ${body.name}`, ...lockOf(body)].join("  "),
      ...describe(body, `${indent}    `),
    ]),
  ]);
}

function insideOf({ body }: StepDefinition, indent: string): readonly string[] {
  if (body.kind === "subgraph") return describe(body.axon, `${indent}    `);
  return body.kind === "parallel" ? describeSteps(body.steps, `${indent}  | `, () => []) : [];
}

function detailsOf({ transition, body, retry, timeoutMs, undo, site }: StepDefinition): readonly string[] {
  const parts = [
    ...(body.kind === "subgraph" ? [["an Axon of its own", ...lockOf(body.axon)].join(", ")] : []),
    ...(body.kind === "parallel"
      ? [`at once, ${body.strategy === "AllMustSucceed" ? "all must succeed" : "any can fail"}`]
      : []),
    ...(body.kind === "wait" ? [waitOf(body.wait)] : []),
    ...(body.kind === "start" ? [`begins a run of ${body.start.axon}`] : []),
    ...(transition.kind === "synapse" ? ["a service outside"] : []),
    ...(transition.kind === "guard" ? ["a guard"] : []),
    ...(transition.audit ? [recordedOf(transition.audit)] : []),
    ...(transition.offload
      ? [`in a worker: ${transition.offload.export} of ${transition.offload.module}`]
      : []),
    ...(transition.pure ? ["pure"] : []),
    ...(transition.effect ? ["an effect"] : []),
    declarationsOf(transition),
    ...(retry === undefined ? [] : [againOf(retry)]),
    ...(timeoutMs === undefined ? [] : [`within ${timeoutMs} ms`]),
    ...(undo === undefined ? [] : [undoneOf(undo)]),
  ];
  return [parts.filter((part) => part !== "").join("; "), placeOf(site)].filter((part) => part !== "");
}

function waitOf(wait: WaitDefinition): string {
  switch (wait.kind) {
    case "sleep":
      return typeof wait.until === "number" ? `sleeps ${wait.until} ms` : "sleeps until a time of the run";
    case "signals": {
      const names = wait.signals.map(({ name }) => name).join(" or ");
      return `waits for ${names}${wait.timeoutMs === undefined ? "" : `, at most ${wait.timeoutMs} ms`}`;
    }
    case "run":
      return `waits for the run of ${wait.axon}`;
    case "continue":
      return "goes on from the first step in a new log";
  }
}

const recordedOf = ({ action, onFailure }: StepAudit): string =>
  `recorded${action === undefined ? "" : ` as ${action}`}, ${onFailure === "refuse" ? "or refused" : "or reported"}`;

function againOf(retry: RetryPolicy<string>): string {
  const { max_retries, backoff } = retry.describe();
  return `tried again ${timesOf(max_retries)} after ${backoff}`;
}

const undoneOf = ({ transition, retry }: Compensation): string =>
  `undone by ${transition.name}${retry === undefined ? "" : ` (${againOf(retry)})`}`;

const timesOf = (n: number): string => (n === 1 ? "once" : `${n} times`);

function placeOf(site: CallSite): string {
  const location = site.locate();
  return location === undefined ? "" : `(${location.file}:${location.line})`;
}

function labelsAt(axon: AxonDefinition, index: number, indent: string): readonly string[] {
  return [...axon.labels].filter(([, at]) => at === index).map(([name]) => `${indent}@${name}`);
}

type Declared = Omit<
  Declarations<AnyKey, AnyKey, AnyKey, AnyKey, string, string, string, AnyKey>,
  "labels"
> & {
  readonly labels?: readonly string[];
};

function declarationsOf(transition: Declared): string {
  const { reads, writes, mayRead, mayWrite, deletes, jumps, branches, emits, labels } = transition;
  const keys = (list: readonly AnyKey[] = []): readonly string[] => list.map(shownKey);
  const parts: readonly [string, readonly string[]][] = [
    ["reads", keys(reads)],
    ["writes", keys(writes)],
    ["may read", keys(mayRead)],
    ["may write", keys(mayWrite)],
    ["deletes", keys(deletes)],
    ["jumps to", (jumps ?? []).map((label) => `@${label}`)],
    ["branches to", branches ?? []],
    ["emits", (emits ?? []).map((kind) => kind.name)],
    ["labels the run with", labels ?? []],
  ];
  return parts
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${names.join(", ")}`)
    .join("; ");
}

/** The name of a key, marked if its kind costs more than others. */
const shownKey = (key: AnyKey): string =>
  key === (RequestHeaders as AnyKey) ? `${key.name} (walks over all headers)` : key.name;
