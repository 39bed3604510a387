// A route with idempotency keys, in process: how often its step ran, and what was reported.

import { Axon, bytes, Framework, type Report } from "framework";
import type { IdempotencyStore } from "framework/core";
import { TestApp, type TestResponse } from "framework/http";
import { IdempotencyGuard, type IdempotencyOptions, MemoryIdempotency } from "framework/std";

export const KEY = { "idempotency-key": '"8e03978e"' };
export const codeOf = (answer: TestResponse): string => answer.problem.code;
export const turns = async (): Promise<void> => {
  for (let i = 0; i < 10; i += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A route that counts how often its step has run and answers what `answer` says. */
export function counting(
  answer: (n: number) => unknown,
  options: IdempotencyOptions = {},
  route: object = {},
) {
  const ran = { times: 0 };
  const reports: Report[] = [];
  const axon = Axon.start<Uint8Array>("pay").thenFn("charge", () => {
    ran.times += 1;
    return answer(ran.times);
  });
  const ingress = Framework.http({ reporter: (report) => reports.push(report) });
  ingress.post("/pay", axon as never, {
    input: bytes() as never,
    guards: [new IdempotencyGuard(options)],
    ...route,
  });
  const app = new TestApp(ingress);
  const pay = (body = "1", headers: Record<string, string> = KEY, target = "/pay") =>
    app.post(target, { body, headers });
  return { app, pay, ran, reports, codes: () => reports.map(({ code }) => code) };
}

/** A store in memory of which calls can be replaced. */
export function storeWith(
  calls: Partial<IdempotencyStore>,
  memory = new MemoryIdempotency(),
): IdempotencyStore {
  const { claim, keep, release } = memory;
  return { claim, keep, release, ...calls };
}
