// Runs a recorded run again from one of its steps, with its input or an edited one. The steps before
// are not run again: their values on the Bus are those that the trace has. The request is a new one:
// guards and the IAM boundary of the route decide by the credentials of this request, never by those
// of the first. What the trace masks, cut or could not copy cannot be used: the reason names it.

import { type Fault, isFault } from "#core/bus/outcome.js";
import { VerifiedIdentity } from "#core/facts/ingress-facts.js";
import { IamIdentity } from "#core/iam/iam-identity.js";
import { REDACTED } from "#core/secrets/secret.js";
import { newRequestId } from "#http/exchange/request-id.js";
import type { ExtensionHost, RunEntry } from "#http/plan/extension.js";
import { type InspectorFault, inspectorFault } from "../api/fault.js";
import type { RerunPlan, RerunRequest } from "../api/relay.js";
import type { Data } from "../api/shapes.js";
import type { ContinuedRuns } from "../traces/continued-runs.js";
import type { KeptTrace } from "../traces/kept-trace.js";
import { type Captured, payloadOf } from "../traces/payload-capture.js";
import { MAX_ACCESSES } from "../traces/trace-collector.js";
import type { TraceStore } from "../traces/trace-store.js";
import { visitsOf } from "../traces/visits.js";
import type { Relay, Relayed } from "./relay.js";

export interface RerunOptions {
  /** False: nothing is run again. */
  readonly isOn: boolean;
  readonly store: Pick<TraceStore, "kept">;
  readonly relay: Pick<Relay, "send">;
  readonly continued: Pick<ContinuedRuns, "reruns">;
  readonly entryAt: ExtensionHost["entryAt"];
}

/** Never those of the first run, whichever step has written them. */
const IDENTITIES: ReadonlySet<string> = new Set([VerifiedIdentity.name, IamIdentity.name]);

type Plan = Data<typeof RerunPlan>;
/** A copied value; undefined if the copy is not the value. */
type Copied = { readonly value: unknown } | undefined;

interface Start {
  readonly bus: ReadonlyMap<string, unknown>;
  readonly input: Copied;
}

export class Rerun {
  readonly #options: RerunOptions;

  constructor(options: RerunOptions) {
    this.#options = options;
  }

  plan(runId: string): Plan | Fault<InspectorFault> {
    const found = this.#found(runId);
    if (isFault(found)) return found;
    const { kept, route, request } = found;
    const nodes = [...new Set(visitsOf(kept.events).map(({ node }) => node))].map((node) => {
      const start = this.#startAt(kept, route, node);
      return {
        node,
        input: payloadOf(inputOf(kept, node)),
        ...(typeof start === "string"
          ? { keys: [], reason: start }
          : { keys: [...start.bus.keys()], reason: null }),
      };
    });
    return { method: request.method, path: request.path, nodes };
  }

  async run(runId: string, asked: RerunRequest): Promise<Relayed | Fault<InspectorFault>> {
    const found = this.#found(runId);
    if (isFault(found)) return found;
    const { kept, route, request } = found;
    const { node, path, headers = {} } = asked;
    const start = this.#startAt(kept, route, node);
    if (typeof start === "string") return refused(`Not from '${node}': ${start}`);
    const edited = Object.hasOwn(asked, "input") ? { value: asked.input } : start.input;
    if (edited === undefined)
      return refused("The input of the step is masked, cut or no plain data: send one with 'input'");
    // A mask would be taken for the value.
    if (path.includes(REDACTED)) return refused("The path has masked parts: write what stood there");
    if (JSON.stringify(asked.input ?? null).includes(REDACTED))
      return refused("The input has masked parts: write what stood there");
    const entry: RunEntry = { route, node, input: edited.value, bus: start.bus };
    const requestId = newRequestId();
    const { continued, relay } = this.#options;
    continued.reruns.set(requestId, runId);
    try {
      return await relay.send({ method: request.method, path, headers }, entry, requestId);
    } finally {
      continued.reruns.delete(requestId);
    }
  }

  #found(runId: string) {
    if (!this.#options.isOn) return refused("It is off in production: inspector({ rerun: true }) allows it");
    const kept = this.#options.store.kept(runId);
    if (kept === undefined) return inspectorFault("TRACE_UNKNOWN");
    const { request } = kept;
    if (request?.route === undefined || request.route === null)
      return refused("It answered no request of a route");
    return { kept, request, route: `${request.method} ${request.route}` };
  }

  /** What a run from the node begins with; in words, why none can begin there. */
  #startAt(kept: KeptTrace, route: string, node: string): Start | string {
    const place = this.#options.entryAt(route, node);
    if (place.kind === "refused") return place.reason;
    const visits = visitsOf(kept.events);
    if (visits.filter((visit) => visit.node === node).length > 1)
      return "the run visited it more than once: its values cannot be told apart";
    if (kept.accesses.length >= MAX_ACCESSES) return "the run used the Bus too often: not all of it is kept";
    const at = visits.findIndex((visit) => visit.node === node);
    const before = new Set(visits.slice(0, at).map((visit) => visit.node));
    const after = new Set(visits.slice(at).map((visit) => visit.node));
    const bus = new Map<string, unknown>();
    for (const { node: by, access, key, captured } of kept.accesses) {
      if (access === "read" || !before.has(by) || !place.keys.includes(key)) continue;
      if (IDENTITIES.has(key)) return `'${by}' has found out who the first caller was: begin there`;
      if (after.has(by)) return `'${by}' ran before and after it: '${key}' cannot be told apart`;
      if (access === "delete") bus.delete(key);
      else bus.set(key, captured);
    }
    for (const [key, captured] of bus) {
      if (captured === undefined) return `the value of '${key}' was not captured (capture_payloads = "full")`;
      const copied = copiedIn(captured as Captured);
      if (copied === undefined) return `the value of '${key}' is masked, cut or no plain data`;
      bus.set(key, copied.value);
    }
    const [missing] = place.missing([...bus.keys()]);
    if (missing !== undefined) return `it needs ${missing}`;
    const input = inputOf(kept, node);
    if (input === undefined) return 'its input was not captured (capture_payloads = "full")';
    return { bus, input: copiedIn(input) };
  }
}

const refused = (detail: string): Fault<InspectorFault> => inspectorFault("RERUN_REFUSED", { detail });

const inputOf = ({ values }: KeptTrace, node: string): Captured | undefined =>
  values.find((value) => value.node === node && value.side === "input")?.captured;

function copiedIn(captured: Captured): Copied {
  if (captured.kind !== "full") return undefined;
  if (captured.isExact) return { value: JSON.parse(captured.text) };
  // Only `undefined` is shown as null without being null.
  return captured.text === "null" ? { value: undefined } : undefined;
}
