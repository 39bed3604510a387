// A route of events has guards, layers and identity like any other route. A step after the Axon opens
// the stream.

import { declaredOf } from "#core/bus/declared-response.js";
import { fault, pass } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { Reply } from "#core/bus/reply.js";
import { refusalCodes } from "#core/error-codes.js";
import { FrameworkError } from "#core/errors.js";
import { header } from "#core/facts/ingress-facts.js";
import { guard } from "#core/flow/guard.js";
import { transition } from "#core/flow/transition.js";
import { headerLine } from "#core/wire/header-syntax.js";
import type { OutOf } from "#runtime/axon/axon-flow.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import { senders } from "#runtime/run/instruction.js";
import { sendRefusal } from "../answer/problem-answer.js";
import { SentAnswer } from "../answer/sent-answer.js";
import type { OptionsFor, RouteOptions } from "../plan/ingress-types.js";
import type { EventMount } from "../plan/route-definition.js";
import { ROUTE_OPTIONS, SHARED_OPTIONS } from "../plan/route-options.js";
import { optionNames, requireFunctions, requireInteger, requireKnown } from "../refusal/option-checks.js";
import { Refusal } from "../refusal/refusal.js";
import { EventSubscription } from "./channel-client.js";
import { type EventPipe, type EventRoute, type EventSettings, OpenEventsKey } from "./event-client.js";
import { EventWriter, type EventWriterOptions, WRITER_OPTIONS } from "./event-text.js";
import { type ServerEvents, SourceSubscription } from "./server-events.js";

/** The output of an Axon that is mounted with `sse`. undefined is sent as 204, after which a client does not reconnect. */
export type EventFlowAnswer =
  | EventSubscription
  | ServerEvents
  | Reply<unknown>
  | ProblemDetail
  | undefined
  // biome-ignore lint/suspicious/noConfusingVoidType: the output of a step without a return
  | void;

/** `schema`, `check` and `maxEventBytes` are for async iterables; a channel has its own. */
export interface EventOptions extends EventWriterOptions<unknown> {
  /** Interval of comments in milliseconds, so that no proxy closes the connection as idle. Default 15 000. */
  readonly heartbeatMs?: number;
  /** Delay before a client reconnects, in milliseconds. Default 2000; up to three times that when all clients are disconnected. */
  readonly retryMs?: number;
  /** Returns a number in [0, 1), which spreads reconnections. For tests. */
  readonly random?: () => number;
}

const KNOWN = optionNames<EventOptions & RouteOptions<unknown>>()(
  WRITER_OPTIONS,
  "heartbeatMs retryMs random",
  ROUTE_OPTIONS,
  SHARED_OPTIONS,
);

export type EventOptionsFor<A> = EventOptions & OptionsFor<A>;

export type RoutePart<O> = { readonly [K in keyof O as K extends keyof EventOptions ? never : K]: O[K] };

/** `unknown` if the Axon's output can be sent as events, else a sentence. */
export type AnswersEvents<A> = [OutOf<A>] extends [EventFlowAnswer]
  ? unknown
  : "an Axon that is mounted with sse() answers channel.subscribe(), an async iterable of events, or nothing";

const Accept = header("accept");
const LastEventId = header("last-event-id");

const NOT_ACCEPTABLE = fault(
  new Refusal("NOT_ACCEPTABLE", {
    detail: "There is text/event-stream here, which the Accept header leaves out",
  }),
);

const acceptsEventsGuard = guard({
  name: "AcceptsEvents",
  description: "text/event-stream",
  mayRead: [Accept],
  responses: declaredOf(refusalCodes, "NOT_ACCEPTABLE"),
  run: (input, bus) => (acceptsEvents(bus.find(Accept)) ? pass(input) : NOT_ACCEPTABLE),
});

/** Throws CONFIG_INVALID, SCHEMA_INVALID, SCHEMA_UNSUPPORTED. */
export function eventRoute(
  path: string,
  axon: AnyAxon,
  given: EventOptionsFor<AnyAxon> = {},
): { readonly axon: EventMount; readonly options: RouteOptions<unknown> } {
  const where = `sse('${path}')`;
  requireKnown(where, given, KNOWN);
  requireFunctions(where, given, ["random"]);
  const { schema, check: _check, maxEventBytes: _maxEventBytes, ...others } = given;
  const { heartbeatMs = 15_000, retryMs = 2000, random = Math.random, ...options } = others;
  requireInteger(`heartbeatMs of ${where}`, heartbeatMs, 250, 3_600_000);
  requireInteger(`retryMs of ${where}`, retryMs, 0, 3_600_000);
  const writer = new EventWriter(where, given);
  const { name, definition } = opened(axon, {
    axon: axon.definition.name,
    writer,
    heartbeatMs,
    retryMs,
    random,
  });
  return {
    axon: { name, definition, events: { schema } },
    options: { ...options, guards: [...(options.guards ?? []), acceptsEventsGuard] },
  };
}

interface WritingSettings extends EventSettings {
  readonly writer: EventWriter;
}

function opened(axon: AnyAxon, settings: WritingSettings): AnyAxon {
  const open = transition({
    name: "open events",
    reads: [OpenEventsKey],
    mayRead: [LastEventId],
    responses: [{ status: 200 }, { status: 204 }, ...declaredOf(refusalCodes, "EVENT_STREAMS_FULL")],
    run: (answer: EventFlowAnswer, bus) => {
      if (answer === undefined || answer instanceof Reply || answer instanceof ProblemDetail) return answer;
      const route = bus.get(OpenEventsKey).route(settings);
      return eventAnswer(subscribed(answer, settings), route, bus.find(LastEventId) ?? "");
    },
  });
  // Called for a disconnected client too, because the source must be released.
  senders.add(open);
  return axon.then(open);
}

function subscribed(answer: EventSubscription | ServerEvents, { axon, writer }: WritingSettings): Subscribed {
  if (answer instanceof EventSubscription) return answer;
  if (typeof answer === "function" || Symbol.asyncIterator in Object(answer))
    return new SourceSubscription(answer, writer);
  throw new FrameworkError(
    "RESPONSE_INVALID",
    `Axon '${axon}' is mounted with sse() and answered no events: answer channel.subscribe(), an async iterable, or nothing`,
  );
}

const RANGE = /^[ \t]*(text\/event-stream|text\/\*|\*\/\*)[ \t]*(?:;(.*))?$/i;
const REFUSED = /(?:^|;)[ \t]*q=0(?:\.0{0,3})?[ \t]*(?:;|$)/i;

/** Ranges by precision: the most exact one decides. */
const RANGES = ["text/event-stream", "text/*", "*/*"];

/** An absent or empty Accept accepts every type (RFC 9110, section 12.5.1). */
function acceptsEvents(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === "") return true;
  const taken = new Map<string, boolean>();
  for (const element of accept.split(",")) {
    const [, range, parameters = ""] = RANGE.exec(element) ?? [];
    if (range !== undefined) taken.set(range.toLowerCase(), !REFUSED.test(parameters));
  }
  const exact = RANGES.find((range) => taken.has(range));
  return exact !== undefined && taken.get(exact) === true;
}

/** A source of events for one client. */
interface Subscribed {
  readonly isRefused: boolean;
  /** True if the source may use the run's signal while the stream is open. */
  readonly usesRun: boolean;
  open(pipe: EventPipe, route: EventRoute, lastId: string): void;
  /** Called instead of `open` if the stream is not opened. */
  cancel(): void;
}

const FULL = new Refusal("EVENT_STREAMS_FULL", { headers: { "retry-after": "5" } });

// Proxies must not buffer or compress; nginx reads the last line. The client must close the connection
// after the stream: the engine cannot, and a stopping server would wait for it.
const LINES =
  headerLine("content-type", "text/event-stream") +
  headerLine("connection", "close") +
  headerLine("cache-control", "no-store, no-transform") +
  headerLine("x-accel-buffering", "no");

/** Opens the stream. */
const eventAnswer = (subscribed: Subscribed, route: EventRoute, lastId: string): SentAnswer =>
  new SentAnswer(
    (exchange) => {
      const { open } = route;
      if (open.isFull || subscribed.isRefused) {
        subscribed.cancel();
        sendRefusal(exchange, FULL);
        return;
      }
      exchange.giveWay(LINES);
      const pipe = exchange.stream(exchange.heads.of(200, LINES));
      if (pipe.isOver) subscribed.cancel();
      else if (open.isClosed) {
        // Not refused, because a browser does not reconnect after an error.
        subscribed.cancel();
        pipe.write(`retry: ${route.retryMs}\n\n`);
        pipe.end();
      } else {
        subscribed.open(pipe, route, lastId);
        exchange.detach(subscribed.usesRun);
      }
    },
    () => subscribed.cancel(),
  );
