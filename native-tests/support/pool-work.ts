// What tests run in the threads of the pool.

import { threadId } from "node:worker_threads";

// Not "framework": each thread would load the whole package.
import { fault, jump, ProblemDetail, respond, synapse } from "framework/core";

export const add = ({ a, b }: { readonly a: number; readonly b: number }): number => a + b;
export const thread = (): number => threadId;
export const spin = (ms: number): number => {
  const until = performance.now() + ms;
  while (performance.now() < until);
  return ms;
};
export const never = (_input: unknown): Promise<string> => new Promise(() => setInterval(() => {}, 1000));
export const leave = (code: number): never => process.exit(code);
export const grow = (_input: unknown): number => {
  const kept: unknown[] = [];
  for (;;) kept.push(new Array(1e5).fill(kept.length));
};
/** ArrayBuffers that are written to, a megabyte at a time, and slowly enough to be sampled. */
export const hoard = (_input: unknown): number => {
  const kept: Uint8Array[] = [];
  for (;;) {
    kept.push(new Uint8Array(2 ** 20).fill(1));
    spin(0.5);
  }
};
export const decline = (n: number) => (n > 0 ? fault({ code: "DECLINED", n }) : n);
export const refuse = (_input: unknown) =>
  fault(new ProblemDetail({ status: 422, code: "TOO_DARK", title: "The picture is too dark" }));
const dark = synapse({
  name: "look",
  call: (_input: unknown): string => {
    throw Object.assign(new TypeError("no light"), { code: "E_X" });
  },
  toFault: () => ({ code: "DARK" }),
});
export const look = (input: unknown) => dark.run(input, undefined as never);
export const fail = (_input: unknown): number => {
  throw Object.assign(new TypeError("no"), { code: "E_X", at: 3, inner: { a: 1 } });
};
export const circle = (_input: unknown) => {
  const made: { self?: unknown } = {};
  made.self = made;
  return made;
};
export const callable = (_input: unknown) => ({ call: () => 1 });
export const reply = (_input: unknown) => respond({ status: 201, body: "made" });
export const again = (_input: unknown) => jump("again", 1);
/** Leaves a timer that throws after the answer. */
export const later = (ms: number): number => {
  setTimeout(() => {
    throw new Error("after the answer");
  }, ms);
  return ms;
};
export const flip = (bytes: Uint8Array): Uint8Array => bytes.map((byte) => byte ^ 255);
export const greet = (name: string, { Greeting }: { readonly Greeting: string }): string =>
  `${Greeting}, ${name}`;
export const answer = 42;
