import type { Clock } from "#core/clock.js";
import { fault } from "#core/outcome.js";
import { runtimeFault } from "#core/runtime-fault.js";
import { pendingOf } from "./answers.js";
import { Fork } from "./fork.js";
import type { Instruction } from "./instruction.js";

/** A step that has to answer within `timeoutMs`. A synchronous one cannot be stopped: its answer counts, however late. */
export function timeoutStep(
  name: string,
  node: string,
  inner: Instruction["step"],
  timeoutMs: number,
  clock: Clock,
): Instruction["step"] {
  const timedOut = fault(runtimeFault({ code: "STEP_TIMEOUT", step: name, timeoutMs }));
  return {
    run(input, bus) {
      const run = bus.state;
      const fork = new Fork(run, "shared");
      const began = clock.now();
      fork.control.isDue = () => clock.now() - began >= timeoutMs || run.control?.stopped === true;
      let answer: unknown;
      try {
        answer = inner.run(input, fork.bus);
      } catch (cause) {
        fork.close();
        throw cause;
      }
      const pending = pendingOf(answer);
      if (pending === undefined) {
        fork.keep();
        fork.close();
        return fork.control.aborted && run.control?.aborted !== true ? timedOut : answer;
      }
      return new Promise((resolve, reject) => {
        const cancel = clock.after(timeoutMs, () => {
          // First, so that what its own abort makes of the step comes too late.
          resolve(timedOut);
          run.trace?.tell({ kind: "node_timeout", node, timeout_ms: timeoutMs });
          fork.control.abort(new Error(`Step '${name}' took longer than ${timeoutMs} ms`));
          fork.close();
        });
        const leave = fork.control.whenAborted(cancel);
        const settle = (tell: () => void): void => {
          cancel();
          leave();
          if (!fork.isOver) fork.keep();
          fork.close();
          tell();
        };
        pending.then(
          (value) => settle(() => resolve(value)),
          (cause) => settle(() => reject(cause)),
        );
      });
    },
  };
}
