// One check of a dependency, as the probes of an ingress ask for it.
//
//   HC1. Probes cannot hammer: whoever asks while it runs waits for the same result, and a
//        result stands for `cacheMs`.
//   HC2. It has a result after `timeoutMs` at the latest. What comes later is of no
//        account; until it comes the check is not begun again, for PATIENCE time-outs.
//   HC3. It never throws: what the function throws, rejects with, or answers as `false` or
//        a fault, is an error of the check. A failing check is reported once.

import { inspect } from "node:util";

import type { Clock } from "#core/clock.js";
import { isFault } from "#core/outcome.js";
import type { Reporter } from "#core/reporter.js";

/** How many time-outs a function that does not answer may take before it is called again. */
const PATIENCE = 10;

export interface HealthCheckOptions {
  /** Whether the service cannot do without: then it is a part of readiness. Default true. */
  readonly critical?: boolean;
  /** How long it may take. Default 2000. */
  readonly timeoutMs?: number;
  /** How long its result stands. Default 1000. */
  readonly cacheMs?: number;
}

/** A check as it was declared. */
export interface HealthCheckPlan extends Required<HealthCheckOptions> {
  readonly name: string;
  /** Takes the values of the resources, whose type only the declaration knows. */
  readonly run: (resources: never, signal: AbortSignal) => unknown;
}

export interface CheckResult {
  readonly name: string;
  readonly status: "ok" | "error";
  readonly duration_ms: number;
  /** Outside production. */
  readonly error?: string;
}

export interface HealthCheckContext {
  readonly resources: Readonly<Record<string, unknown>>;
  readonly production: boolean;
  readonly reporter: Reporter;
  readonly clock: Clock;
}

type Verdict = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

const OK: Verdict = { ok: true };

export class HealthCheck {
  readonly critical: boolean;
  readonly #plan: HealthCheckPlan;
  readonly #context: HealthCheckContext;
  #running: Promise<CheckResult> | undefined;
  #last: CheckResult | undefined;
  #staysUntil = 0;
  /** Until when a function that has not answered is waited for. */
  #hangsUntil = 0;

  constructor(plan: HealthCheckPlan, context: HealthCheckContext) {
    this.critical = plan.critical;
    this.#plan = plan;
    this.#context = context;
  }

  /** Never rejects. */
  result(): Promise<CheckResult> {
    const now = this.#context.clock.now();
    if (this.#last !== undefined && (now < this.#staysUntil || now < this.#hangsUntil))
      return Promise.resolve(this.#last);
    this.#running ??= this.#run(now);
    return this.#running;
  }

  async #run(began: number): Promise<CheckResult> {
    const verdict = await this.#verdict();
    const { clock } = this.#context;
    const ended = clock.now();
    const result = this.#resultOf(verdict, ended - began);
    this.#last = result;
    this.#staysUntil = ended + this.#plan.cacheMs;
    this.#running = undefined;
    return result;
  }

  #verdict(): Promise<Verdict> {
    const { timeoutMs, run } = this.#plan;
    const { clock, resources } = this.#context;
    const limit = new AbortController();
    return new Promise((resolve) => {
      const cancel = clock.after(timeoutMs, () => {
        const error = new Error(`No answer within ${timeoutMs} ms`);
        this.#hangsUntil = clock.now() + PATIENCE * timeoutMs;
        resolve({ ok: false, error });
        limit.abort(error);
      });
      const settle = (verdict: Verdict): void => {
        cancel();
        this.#hangsUntil = 0;
        resolve(verdict);
      };
      const answered = async (): Promise<unknown> => run(resources as never, limit.signal);
      answered().then(
        (answer) => settle(verdictOf(answer)),
        (error: unknown) => settle({ ok: false, error }),
      );
    });
  }

  #resultOf(verdict: Verdict, tookMs: number): CheckResult {
    const { name } = this.#plan;
    const { production, reporter } = this.#context;
    const duration_ms = Math.round(tookMs);
    if (verdict.ok) return { name, status: "ok", duration_ms };
    const { error } = verdict;
    if (this.#last?.status !== "error")
      reporter({ code: "HEALTH_CHECK_FAILED", message: `The health check '${name}' fails`, error });
    return { name, status: "error", duration_ms, ...(!production && { error: textOf(error) }) };
  }
}

function verdictOf(answer: unknown): Verdict {
  if (isFault(answer)) return { ok: false, error: answer.error };
  return answer === false ? { ok: false, error: new Error("It answered false") } : OK;
}

const MAX_TEXT_LENGTH = 200;

/** Anything can be thrown, also what throws when it is looked at. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? String(error.message) : inspect(error, { depth: 1 });
    return text.length > MAX_TEXT_LENGTH ? `${text.slice(0, MAX_TEXT_LENGTH)}...` : text;
  } catch {
    return "What was thrown cannot be shown";
  }
}
