import type { EmittedEvent } from "#core/bus/event.js";
import { guarded } from "../run/answers.js";
import type { Instruction } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";

export function deliver(
  from: Instruction,
  event: EmittedEvent,
  program: ProgramPort,
  request: unknown,
): void {
  for (const sink of from.sinks) {
    const failed = (error: unknown): void =>
      program.reporter({
        code: "EVENT_SINK_FAILED",
        message: `A sink of event '${event.name}' failed`,
        step: from.name,
        error,
        ...program.reportOf(request),
      });
    // A lazy thenable, such as a query builder, sends only once its `then` is called.
    guarded(() => sink.send(event), failed);
  }
}
