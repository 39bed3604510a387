import type { Reporter } from "#core/bus/reporter.js";
import { WholeAnswer } from "#core/bus/whole-answer.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Deadlines } from "../native/deadlines.js";

export interface AnsweredRoute {
  /** For messages. */
  readonly axon: string;
  readonly production: boolean;
  readonly reporter: Reporter;
  /** Deadlines of the route's time-out. */
  readonly deadlines: Deadlines;
}

/** An outcome that sends itself: a file, a stream of events, an upgrade. */
export class SentAnswer extends WholeAnswer {
  /**
   * Sends at once, or later after calling `exchange.wait()` in the handler. An error thrown before
   * the first write becomes a 500 response.
   */
  readonly send: (exchange: Exchange, route: AnsweredRoute) => void;
  /** Called if the outcome is not sent. Releases its resources. */
  readonly cancel: () => void;

  constructor(send: SentAnswer["send"], cancel: SentAnswer["cancel"] = () => {}) {
    super();
    this.send = send;
    this.cancel = cancel;
  }
}

/** A Content-Security-Policy with a nonce of this response. */
const NONCED = /\r\n(content-security-policy(?:-report-only)?: )[^\r]*'nonce-/gi;

/**
 * Call it before a 304 is sent. Headers of a 304 replace cached ones (RFC 9111, section 3.2). A
 * policy with a new nonce would block the scripts of the cached page, so it is omitted.
 */
export function keepPolicyOfPage(exchange: Exchange): void {
  for (const [, name] of exchange.lines.matchAll(NONCED)) exchange.giveWay(`\r\n${name}`);
}
