// What one client of the feed wants to see.

import type { FeedEvent, FeedRequest } from "../api/events.js";

export type SubscribeRequest = Extract<FeedRequest, { type: "subscribe" }>;
type Kind = FeedEvent["kind"];

export class Subscription {
  readonly #circuits: ReadonlySet<string> | undefined;
  readonly #nodes: ReadonlySet<string> | undefined;
  readonly #kinds: ReadonlySet<string> | undefined;
  readonly #minUs: number;
  readonly #faultsOnly: boolean;

  constructor(request: Omit<SubscribeRequest, "type" | "after"> = {}) {
    const { circuits, nodes, kinds, min_duration_us = 0, faults_only = false } = request;
    this.#circuits = circuits && new Set(circuits);
    this.#nodes = nodes && new Set(nodes);
    this.#kinds = kinds && new Set(kinds);
    this.#minUs = min_duration_us;
    this.#faultsOnly = faults_only;
  }

  wantsKind(kind: Kind): boolean {
    return this.#kinds === undefined ? kind !== "node_exit" : this.#kinds.has(kind);
  }

  wants(event: FeedEvent): boolean {
    // A run that had to make room.
    if (event.kind === "circuit_exit" && event.run === undefined) return false;
    return (
      this.wantsKind(event.kind) &&
      this.#isOf(this.#circuits, circuitOf(event)) &&
      this.#isOf(this.#nodes, nodeOf(event)) &&
      this.#isLongEnough(event)
    );
  }

  /** What belongs to no circuit or node is for everybody. */
  #isOf(wanted: ReadonlySet<string> | undefined, name: string | null): boolean {
    return wanted === undefined || name === null || wanted.has(name);
  }

  #isLongEnough(event: FeedEvent): boolean {
    if (event.kind === "node_exit")
      return event.duration_us >= this.#minUs && (!this.#faultsOnly || event.outcome === "fault");
    if (event.kind === "circuit_exit")
      return event.run.duration_us >= this.#minUs && (!this.#faultsOnly || event.run.status === "faulted");
    return true;
  }
}

function circuitOf(event: FeedEvent): string | null {
  switch (event.kind) {
    case "node_exit":
    case "event":
      return event.circuit;
    case "circuit_exit":
      return event.run.circuit;
    case "node_paused":
      return event.paused.circuit;
    case "stall_detected":
      return event.stall.circuit;
    case "alert":
      return event.alert.circuit;
    case "breakpoint":
      return event.breakpoint.circuit;
    default:
      return null;
  }
}

function nodeOf(event: FeedEvent): string | null {
  switch (event.kind) {
    case "node_exit":
    case "event":
    case "stall_ended":
      return event.node;
    case "node_paused":
      return event.paused.node_id;
    case "stall_detected":
      return event.stall.node;
    case "alert":
      return event.alert.node;
    case "breakpoint":
      return event.breakpoint.node_id;
    default:
      return null;
  }
}
