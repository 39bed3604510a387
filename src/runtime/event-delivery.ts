import type { EmittedEvent } from "#core/event.js";
import { pendingOf } from "./answers.js";
import type { Instruction } from "./instruction.js";
import type { Program } from "./program.js";

/**
 * Hands an event to the sinks of its Axon. What they throw or reject with is reported and changes
 * nothing. `request` is what the run answers.
 */
export function deliver(from: Instruction, event: EmittedEvent, program: Program, request: unknown): void {
  for (const sink of from.sinks) {
    const failed = (error: unknown): void =>
      program.reporter({
        code: "EVENT_SINK_FAILED",
        message: `A sink of event '${event.name}' failed`,
        step: from.name,
        error,
        ...program.reportOf(request),
      });
    try {
      // A lazy thenable, such as a query builder, sends only once its `then` is called.
      pendingOf(sink.send(event))?.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
