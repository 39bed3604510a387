import type { FeedEvent } from "../api/events.js";

interface Place {
  readonly circuit: string | null;
  readonly node: string | null;
}

const NOWHERE: Place = { circuit: null, node: null };

/** The circuit and node of an event, as far as it has them. */
export function placeOf(event: FeedEvent): Place {
  switch (event.kind) {
    case "circuit_exit":
      return { circuit: event.run?.circuit ?? null, node: null };
    case "node_exit":
    case "event":
      return event;
    case "stall_ended":
      return { circuit: null, node: event.node };
    case "stall_detected":
      return event.stall;
    case "alert":
      return event.alert;
    case "node_paused":
      return { circuit: event.paused.circuit, node: event.paused.node_id };
    case "breakpoint":
      return { circuit: event.breakpoint.circuit, node: event.breakpoint.node_id };
    default:
      return NOWHERE;
  }
}
