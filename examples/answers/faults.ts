// What faults answer: each says it itself, or its route says it for all of them.

import { Axon, Framework, fault, ProblemDetail, param, respond } from "framework";

const FULL = { status: 409, code: "FULL", title: "No seat is free" } as const;

/** A fault that knows its answer, wherever it ends a run. */
class CrossingFull {
  readonly kind = "full";
  readonly waiting: number;

  constructor(waiting: number) {
    this.waiting = waiting;
  }

  toProblemDetail(): ProblemDetail {
    const { waiting } = this;
    return new ProblemDetail({ ...FULL, extensions: { waiting } });
  }
}

/** Knows nothing of HTTP. */
const storm = { kind: "storm", hours: 3 } as const;

const board = Axon.start("board").thenFn(
  "board",
  { uses: { crossing: param("crossing") }, responses: [FULL] },
  (_, bus) => {
    if (bus.crossing === "mull") return fault(new CrossingFull(12));
    if (bus.crossing === "skye") return fault(storm);
    return "welcome aboard";
  },
);

const closed = new ProblemDetail({ status: 503, code: "STORM", title: "No crossing in this weather" });

export const pier = () =>
  Framework.http({ reporter: () => {} })
    .get("/plain/:crossing", board)
    .get("/mapped/:crossing", board, {
      responses: [closed],
      onFault: (refused) => {
        if (refused.kind === "storm")
          return respond({ headers: { "retry-after": String(refused.hours * 3600) }, body: closed });
        // CrossingFull says it itself.
        return undefined;
      },
    });
