import type { Reporter } from "#core/bus/reporter.js";
import { WholeAnswer } from "#core/bus/whole-answer.js";
import type { Exchange } from "../exchange/exchange.js";
import type { Deadlines } from "../native/deadlines.js";

export interface AnsweredRoute {
  /** For messages. */
  readonly axon: string;
  readonly production: boolean;
  readonly reporter: Reporter;
  /** Of the route's time-out. */
  readonly deadlines: Deadlines;
}

/** A step's outcome that sends itself: a file, a feed of events, an upgrade. */
export class SentAnswer extends WholeAnswer {
  /**
   * Sends now, or after `exchange.wait()` was called in the handler. An error thrown before
   * anything is written is answered 500.
   */
  readonly send: (exchange: Exchange, route: AnsweredRoute) => void;
  /** Called where it is not sent: releases what it holds. */
  readonly cancel: () => void;

  constructor(send: SentAnswer["send"], cancel: SentAnswer["cancel"] = () => {}) {
    super();
    this.send = send;
    this.cancel = cancel;
  }
}

/** A policy with a nonce, made for this response. */
const NONCED = /\r\n(content-security-policy(?:-report-only)?: )[^\r]*'nonce-/gi;

/**
 * To be called before a 304 is sent. Its headers replace those in a cache (RFC 9111, section
 * 3.2): a policy with a new nonce would block the scripts of the cached page, so it is left out.
 */
export function keepPolicyOfPage(exchange: Exchange): void {
  for (const [, name] of exchange.lines.matchAll(NONCED)) exchange.giveWay(`\r\n${name}`);
}
