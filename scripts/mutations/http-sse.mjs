// Lines of events. mutate.mjs says what a row is.

const INGRESS = "native-tests/http/ingress";
const EVENTS = "native-tests/http/sse";
const EVENT_ROUTES = `${INGRESS}/sse.test.ts`;
const UNSENT = "native-tests/http/ingress/unsent-streams.test.ts";

export default [
  [
    "events: each line of data is a field of its own",
    "src/http/sse/event-text.ts",
    "for (const line of data.split(LINE_BREAK)) text += `data: ${line}\\n`;",
    "text += `data: ${data}\\n`;",
    EVENTS,
  ],
  [
    "events: CR alone ends a line too",
    "src/http/sse/event-text.ts",
    "const LINE_BREAK = /\\r\\n|\\n|\\r/;",
    "const LINE_BREAK = /\\r\\n|\\n/;",
    EVENTS,
  ],
  [
    "events: an id comes back as it was sent",
    "src/http/sse/event-text.ts",
    "id.length <= MAX_ID && ID.test(id)",
    "id.length <= MAX_ID",
    EVENTS,
  ],
  [
    "events: a slow client is given nothing more",
    "src/http/sse/fan-out.ts",
    "while (!client.isOver && !client.isWaiting && client.position < this.history.newest) {",
    "while (!client.isOver && client.position < this.history.newest) {",
    EVENTS,
  ],
  [
    "events: nobody misses any silently",
    "src/http/sse/fan-out.ts",
    'if (client.position < this.history.oldest - 1) client.beginAnew("lagged");',
    "if (client.position < this.history.oldest - 1) client.position = this.history.oldest - 1;",
    EVENTS,
  ],
  [
    "events: everybody has had his turn before one is dropped",
    "src/http/sse/fan-out.ts",
    "if (this.#round !== undefined && this.history.displaces(bytes.length))",
    "if (this.#round !== undefined && bytes.length < 0)",
    EVENTS,
  ],
  [
    "events: an id that is not known is told",
    "src/http/sse/channel-client.ts",
    'if (lastId !== "" && known === undefined) {',
    'if (lastId === "?" && known === undefined) {',
    EVENTS,
  ],
  [
    "events: a heartbeat takes nobody past what is still to come",
    "src/http/sse/fan-out.ts",
    "if (client.position !== newest) return ALIVE;",
    "if (client.position !== newest) return this.#heartbeat.bytes;",
    EVENTS,
  ],
  [
    "events: a history is bounded in bytes",
    "src/http/sse/event-history.ts",
    "this.#newest - this.#oldest + 1 >= this.#bounds.events || this.#bytes + bytes > this.#bounds.bytes;",
    "this.#newest - this.#oldest + 1 >= this.#bounds.events;",
    EVENTS,
  ],
  [
    "events: a source is given up with its client",
    "src/http/sse/server-events.ts",
    "await this.#events?.return?.();",
    "await undefined;",
    EVENTS,
  ],
  [
    "events: a source is asked as its client takes them",
    "src/http/sse/server-events.ts",
    "if (this.isWaiting) await this.#taken();",
    "if (this.isOver) await this.#taken();",
    EVENTS,
  ],
  [
    "events: who is gone listens no more",
    "src/http/sse/channel-client.ts",
    "this.#fanOut.clients.delete(this);",
    "",
    EVENTS,
  ],
  [
    "events: who cannot read them is not subscribed",
    "src/http/sse/event-route.ts",
    "guards: [...(options.guards ?? []), acceptsEventsGuard]",
    "guards: [...(options.guards ?? [])]",
    EVENT_ROUTES,
  ],
  [
    "streams: what a layer puts aside is cancelled",
    "src/runtime/layer-step.ts",
    "if (settled !== answer && isLast(",
    "if (settled === answer && isLast(",
    UNSENT,
  ],
  [
    "streams: what a layer makes another of is not",
    "src/http/route-answers.ts",
    "if (!isStream(instead)) cancelAnswer(",
    "cancelAnswer(",
    UNSENT,
  ],
  [
    "streams: what a subgraph or a checked step answers last is the outcome",
    "src/runtime/instruction.ts",
    "isSender || isMark || isCheck;",
    "isSender;",
    UNSENT,
  ],
  [
    "streams: what comes when its client has gone is cancelled",
    "src/http/circuit.ts",
    "else this.#answers.unsent(outcome, undefined, exchange);",
    "",
    UNSENT,
  ],
  [
    "streams: what a watched run comes to when it is over is cancelled",
    "src/runtime/loop.ts",
    "        tellUnsent(program, state, at, answer);\n        return;",
    "        return;",
    UNSENT,
  ],
  [
    "streams: events are opened for nobody, so that they can be given up",
    "src/http/sse/event-route.ts",
    "  senders.add(open);\n",
    "",
    UNSENT,
  ],
];
