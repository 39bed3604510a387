import type { Recorder } from "#core/timeline/recorder.js";
import type { Program } from "#runtime/compile/program.js";
import type { Instruction } from "#runtime/run/instruction.js";
import type { AnswerPolicy } from "../answer/answer-policy.js";
import type { ClientReader } from "../client/client.js";
import type { Deadlines, Timetable } from "../native/deadlines.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import type { IngressSupply } from "./ingress-supply.js";
import type { ObservationContext } from "./observation.js";

/** The parts that all circuits of one ingress share. */
export interface CircuitContext
  extends Pick<IngressPlan, "production" | "reporter" | "tracing" | "guards" | "layers" | "provisions">,
    Pick<IngressPlan, "bodyTimeoutMs" | "routeTimeoutMs" | "bodyLimit" | "kept" | "runStatus" | "stores">,
    Pick<IngressPlan, "maxBodyBytesInFlight" | "workers"> {
  readonly supply: IngressSupply;
  readonly recorder: Recorder | undefined;
  readonly bodyDeadlines: Deadlines;
  readonly deadlines: Timetable;
  readonly clients: ClientReader;
  readonly policy: AnswerPolicy;
  readonly observation: ObservationContext;
  /** "nothing": only the guards run. */
  readonly serves: "route" | "fallback" | "page" | "nothing";
  /** Makes the step in the place of the one that reads the input: entered-runs.ts. Default: none. */
  readonly entering?: ((program: () => Program) => Instruction["step"]) | undefined;
}
