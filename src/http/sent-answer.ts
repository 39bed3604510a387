import type { Reporter } from "#core/reporter.js";
import { WholeAnswer } from "#core/whole-answer.js";
import type { Deadlines } from "./native/deadlines.js";
import type { Exchange } from "./native/exchange.js";

/** What an answer may need of the route that it is of. */
export interface AnsweredRoute {
  /** For messages. */
  readonly axon: string;
  readonly production: boolean;
  readonly reporter: Reporter;
  /** Those of the route's time limit. */
  readonly deadlines: Deadlines;
}

/** What a step answers that knows itself how it is sent: a file, a feed of events. */
export abstract class SentAnswer extends WholeAnswer {
  /**
   * Answers, now or later: in the handler it returns with the exchange answered, or after
   * `exchange.wait()`. What it throws before it has written anything is answered 500.
   */
  abstract send(exchange: Exchange, route: AnsweredRoute): void;

  /** Nobody is to be sent it: lets go of what it holds already. */
  cancel(): void {}
}
