import type { EmittedEvent } from "#core/event.js";
import type { Reporter } from "#core/reporter.js";
import { pendingOf } from "./answers.js";
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
      // A lazy thenable, such as a query builder, sends only once its `then` is called.
      pendingOf(sink.send(event))?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
