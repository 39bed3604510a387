import { ClientIp, RequestId, TraceContext } from "framework";
import { header } from "framework/core";
import type { AccessLogGuard } from "framework/std";
import { answerRecord } from "./answer-record.js";
import { keptLogger } from "./logged-lines.js";

export type Answer = Parameters<typeof answerRecord>[0];
export type Facts = NonNullable<Parameters<typeof answerRecord>[1]>;

export const trace = {
  traceId: "4bf92f3577b34da6a3ce929d0e0e4736",
  spanId: "00f067aa0ba902b7",
  parentSpanId: undefined,
  sampled: false,
  random: true,
  traceState: "",
};

export const visitor: Facts = [
  [ClientIp, "203.0.113.7"],
  [RequestId, "order-17"],
  [TraceContext, trace],
  [header("user-agent"), "curl/8.5.0"],
];

/** The text of the log after one answer. */
export function textOf(guard: AccessLogGuard, answer: Answer = {}, facts: Facts = []): string {
  const { log, text } = keptLogger();
  guard.observer.answered(answerRecord(answer, facts), log.access);
  return text();
}

/** The line of one answer, without level and time. */
export function lineOf(guard: AccessLogGuard, answer?: Answer, facts?: Facts): Record<string, unknown> {
  const { level, time, ...line } = JSON.parse(textOf(guard, answer, facts));
  return line;
}
