// Limits the time of a step. A later answer never reaches the run, and the step's completed work
// is undone before the fault is returned. A synchronous step cannot be stopped: its answer counts,
// however late.

import { Control, fault } from "#core/bus/outcome.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";
import type { Clock } from "#core/clock.js";
import { keep, undoAll } from "../execute/saga.js";
import { pendingOf } from "../run/answers.js";
import { Fork } from "../run/fork.js";
import type { Instruction } from "../run/instruction.js";
import type { ProgramPort } from "../run/program-port.js";
import { workedMs } from "../run/worked-time.js";
import { TracedBus } from "../trace/traced-bus.js";

export interface TimeLimit {
  readonly name: string;
  readonly node: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** True if its answer is the outcome of the run: a late stream has to be released. */
  readonly isLast: () => boolean;
  /** True if its time begins with its work in a thread. */
  readonly isOffloaded: boolean;
}

export function timeoutStep(
  program: ProgramPort,
  { name, node, timeoutMs, clock, isLast, isOffloaded }: TimeLimit,
  inner: Instruction["step"],
): Instruction["step"] {
  const timedOut = fault(runtimeFault({ code: "STEP_TIMEOUT", step: name, timeoutMs }));
  return {
    run(input, bus) {
      const run = bus.state;
      const fork = new Fork(run, "shared");
      const began = clock.now();
      let isLate = false;
      const expire = (): void => {
        isLate = true;
        run.duties.trace?.tell({ kind: "node_timeout", node, timeout_ms: timeoutMs });
        fork.control.abort(new Error(`Step '${name}' took longer than ${timeoutMs} ms`));
      };
      const tookMs = (): number =>
        (isOffloaded ? workedMs(fork.control.signal()) : undefined) ?? clock.now() - began;
      // Tested between the steps of a subgraph, where no timer fires.
      fork.control.isDue = () => {
        if (run.control?.stopped !== true && tookMs() >= timeoutMs) expire();
        return fork.control.aborted;
      };
      const timeUp = (): unknown => {
        fork.close();
        return undoAll(program, fork)?.then(() => timedOut) ?? timedOut;
      };
      const inTime = (): void => {
        void keep(program, fork);
        fork.close();
      };
      const { request } = run;
      const tellUnsent = (late: unknown): void => {
        if (!(late instanceof Control) && isLast()) program.unsent?.(late, undefined, request);
      };
      let answer: unknown;
      try {
        answer = inner.run(input, TracedBus.over(fork.bus, bus));
      } catch (cause) {
        fork.close();
        throw cause;
      }
      const pending = pendingOf(answer);
      if (pending === undefined) {
        if (isLate) {
          tellUnsent(answer);
          return timeUp();
        }
        inTime();
        return answer;
      }
      return new Promise((resolve, reject) => {
        let cancel = (): void => {};
        const limit = (ms: number): void => {
          cancel = clock.after(ms, () => {
            const leftMs = isOffloaded ? timeoutMs - tookMs() : 0;
            if (leftMs > 0) limit(leftMs);
            else expire();
          });
        };
        limit(timeoutMs);
        const leave = fork.control.whenAborted(() => {
          cancel();
          if (isLate) resolve(timeUp());
        });
        const settle = (tell: () => void): void => {
          cancel();
          leave();
          inTime();
          tell();
        };
        pending.then(
          (value) => settle(() => (isLate ? tellUnsent(value) : resolve(value))),
          (cause) => settle(() => reject(cause)),
        );
      });
    },
  };
}
