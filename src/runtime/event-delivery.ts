import type { EmittedEvent } from "#core/event.js";
import type { Reporter } from "#core/reporter.js";
import type { Instruction } from "./instruction.js";

/** Hands an event to the sinks of its Axon. What they throw or reject with is reported and changes nothing. */
export function deliver(from: Instruction, event: EmittedEvent, report: Reporter): void {
  for (const sink of from.sinks) {
    const failed = (error: unknown): void =>
      report({
        code: "EVENT_SINK_FAILED",
        message: `A sink of event '${event.name}' failed`,
        step: from.name,
        error,
      });
    try {
      const sent = sink.send(event);
      if (sent instanceof Promise) sent.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
