import type { AnyKey, BusKey } from "#core/bus/bus-key.js";
import type { AnswerRecord } from "#core/ports/answer-observer.js";

/** An answer as an ingress tells of it; `facts` by their keys. */
export function answerRecord(
  fields: Partial<AnswerRecord> = {},
  facts: readonly (readonly [AnyKey, unknown])[] = [],
): AnswerRecord {
  const known = new Map<AnyKey, unknown>(facts);
  return {
    method: "GET",
    path: "/orders/42",
    query: undefined,
    route: "/orders/:id",
    status: 200,
    code: undefined,
    requestId: undefined,
    bytes: 512,
    durationMs: 1.2345,
    isAborted: false,
    find: <T, Name extends string>(key: BusKey<T, Name>) => known.get(key) as T | undefined,
    ...fields,
  };
}
