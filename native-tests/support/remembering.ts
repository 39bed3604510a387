import type { IamError, IamIdentity, Verification } from "framework/core";
import { type CachedOptions, cached } from "framework/std";

export type Answer = IamIdentity | IamError;
export type Wanted = Answer | Promise<Answer>;

export const HOUR = 3_600_000;

export const identity = (subject: string, more: Partial<IamIdentity> = {}): IamIdentity => ({
  subject,
  roles: [],
  claims: {},
  ...more,
});

export const asked = (controller = new AbortController()): Verification => ({ signal: controller.signal });

/** A cache on a clock moved by hand, over a verifier whose calls are counted. */
export function remembering(
  answer: (token: string, verification: Verification) => Wanted,
  options?: CachedOptions,
) {
  const clock = { ms: 1_000_000 };
  const verifier = {
    generation: 0,
    calls: 0,
    verify(token: string, verification: Verification): Wanted {
      verifier.calls += 1;
      return answer(token, verification);
    },
  };
  const cache = cached(verifier, { now: () => clock.ms, ...options });
  const ask = (token: string, controller?: AbortController) => cache.verify(token, asked(controller));
  /** Whether the token is remembered, as the verifier not asked shows. */
  const remembers = (token: string): boolean => {
    const before = verifier.calls;
    void ask(token);
    return verifier.calls === before;
  };
  return { cache, clock, verifier, ask, remembers };
}

/** By the token "alice.1": the subject, and which of its tokens. */
export const bySubject = (token: string): IamIdentity => identity(token.split(".")[0] as string);

/** A promise that the test settles. */
export function pending() {
  let settle: (answer: Answer) => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const promise = new Promise<Answer>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  return { promise, settle, fail };
}

/** Verifications that the test answers, the first first. */
export function answeredByHand(options?: CachedOptions) {
  const begun: (ReturnType<typeof pending> & { readonly verification: Verification })[] = [];
  const made = remembering((_token, verification) => {
    const answer = { ...pending(), verification };
    begun.push(answer);
    return answer.promise;
  }, options);
  return { ...made, begun };
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
