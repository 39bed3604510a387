// The figures of one interval as `metrics` events, each short enough for a message of the feed.

import type { FeedEvent } from "../api/events.js";
import { leadingNodes } from "../api/leading-nodes.js";
import type { CircuitMetrics, NodeMetrics } from "../api/metrics.js";

type MetricsEvent = Extract<FeedEvent, { kind: "metrics" }>;

/** The figures that a subscription selects. Undefined: all. */
export interface FiguresWanted {
  readonly circuits: ReadonlySet<string> | undefined;
  readonly nodes: ReadonlySet<string> | undefined;
  /** Circuits with all nodes; the others have their leading nodes. */
  readonly nodesOf: ReadonlySet<string> | undefined;
  /** Equal for equal selections. */
  readonly key: string;
}

/** An event as JSON. */
export interface EventText {
  readonly seq: number;
  readonly text: string;
  readonly bytes: number;
}

export function eventText(event: FeedEvent): EventText {
  const text = JSON.stringify(event);
  return { seq: event.seq, text, bytes: Buffer.byteLength(text) };
}

/** A message of the feed: 256 KiB less the text around its events. */
export const MAX_EVENT_BYTES = 262_144 - 128;
/** Selections whose texts are shared by clients until the next interval. */
const MAX_SHARED = 8;

export class Figures {
  readonly #event: MetricsEvent;
  readonly #shared = new Map<string, readonly EventText[]>();

  constructor(event: MetricsEvent) {
    this.#event = event;
  }

  get seq(): number {
    return this.#event.seq;
  }

  texts(wanted: FiguresWanted): readonly EventText[] {
    const shared = this.#shared.get(wanted.key);
    if (shared !== undefined) return shared;
    const texts = withinMessages(selected(this.#event, wanted));
    if (this.#shared.size === MAX_SHARED) this.#shared.clear();
    this.#shared.set(wanted.key, texts);
    return texts;
  }
}

function selected(event: MetricsEvent, { circuits, nodes, nodesOf }: FiguresWanted): MetricsEvent {
  if (circuits === undefined && nodes === undefined && nodesOf === undefined) return event;
  const nodesIn = (circuit: CircuitMetrics): NodeMetrics[] => {
    const sent = nodesOf?.has(circuit.circuit) === false ? leadingNodes(circuit) : circuit.nodes;
    return nodes === undefined ? sent : sent.filter(({ node }) => nodes.has(node));
  };
  const chosen = event.metrics.circuits.filter(({ circuit }) => circuits?.has(circuit) !== false);
  return {
    ...event,
    metrics: {
      ...event.metrics,
      circuits: chosen.map((circuit) => ({ ...circuit, nodes: nodesIn(circuit) })),
    },
  };
}

/** One text, or the texts of parts. */
function withinMessages(event: MetricsEvent): readonly EventText[] {
  const whole = eventText(event);
  if (whole.bytes <= MAX_EVENT_BYTES) return [whole];
  const parts = partsOf(event.metrics);
  return parts.map((metrics, at) => eventText({ ...event, metrics, part: { n: at + 1, of: parts.length } }));
}

function partsOf(metrics: MetricsEvent["metrics"]): readonly MetricsEvent["metrics"][] {
  const { http, circuits, pool } = metrics;
  const part = () => ({
    ...metrics,
    http: { ...http, by_route: [] as typeof http.by_route },
    circuits: [] as CircuitMetrics[],
    pool: pool && { ...pool, steps: [] as typeof pool.steps },
  });
  // Less what an event has beside the figures.
  const size = MAX_EVENT_BYTES - 256 - bytesOf(part());
  let last = part();
  const parts = [last];
  let room = size;
  /** Takes the room, in a new part if this one is too full. */
  const take = (bytes: number): boolean => {
    const isNew = bytes > room && room < size;
    if (isNew) {
      last = part();
      parts.push(last);
      room = size;
    }
    room -= bytes;
    return isNew;
  };
  for (const row of http.by_route) {
    take(bytesOf(row));
    last.http.by_route.push(row);
  }
  for (const step of pool?.steps ?? []) {
    take(bytesOf(step));
    last.pool?.steps.push(step);
  }
  for (const circuit of circuits) {
    const head = bytesOf({ ...circuit, nodes: [] });
    const nodes = circuit.nodes.map((node) => ({ node, bytes: bytesOf(node) }));
    const whole = nodes.reduce((sum, { bytes }) => sum + bytes, head);
    // One that fits a part is in one part.
    take(whole <= size ? whole : head);
    last.circuits.push({ ...circuit, nodes: [] });
    for (const { node, bytes } of nodes) {
      if (whole > size && take(bytes)) {
        room -= head;
        last.circuits.push({ ...circuit, nodes: [] });
      }
      last.circuits.at(-1)?.nodes.push(node);
    }
  }
  return parts;
}

/** With the comma behind it. */
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;
