// Lines of the Inspector. mutate.mjs says what a row is.

const CONDITIONS = "native-tests/inspector/breakpoints/condition.test.ts";
const BREAKPOINTS = "native-tests/inspector/breakpoints/breakpoints.test.ts";
const STEERING = "native-tests/inspector/breakpoints/steering.test.ts";
const ALERTS = "native-tests/inspector/alerts/alerts.test.ts";
const RULES = "native-tests/inspector/alerts/rule-watch.test.ts";
const DISPATCHER = "native-tests/inspector/alerts/alert-dispatcher.test.ts";
const INSPECTED_LETTERS = "native-tests/inspector/dead-letters/dead-letters.test.ts";
const WEBHOOK = "native-tests/inspector/alerts/webhook-alert-hook.test.ts";
const STALLS = "native-tests/inspector/stalls/stalls.test.ts";
const EDITS = "native-tests/inspector/breakpoints/edited-input.test.ts";
const KEPT_RUNS = "native-tests/inspector/runs/kept-runs.test.ts";
const PEERS = "native-tests/inspector/peers";
const RECORDING = "native-tests/inspector/recording/recording.test.ts";

const DOOR = "native-tests/inspector/door";
const FEED = "native-tests/inspector/feed/feed.test.ts";
const RELAY = "native-tests/inspector/relay/relay.test.ts";

export default [
  [
    "the door: a token that is compared in part",
    "src/inspector/door/bearer-auth.ts",
    "if (isOperator) return IDENTITIES.operator;",
    "return IDENTITIES.operator;",
    DOOR,
  ],
  [
    "the door: a foreign origin",
    "src/inspector/door/door.ts",
    "origin === bus.find(OwnOrigin)",
    "origin !== undefined",
    DOOR,
  ],
  [
    "the door: who may change something",
    "src/inspector/door/door.ts",
    'roleOf(bus.get(IamIdentity)) === "operator" ||',
    "true ||",
    DOOR,
  ],
  [
    "tickets: used once",
    "src/inspector/door/tickets.ts",
    "this.#kept.delete(digest);\n    return kept.endsAt",
    "return kept.endsAt",
    DOOR,
  ],
  [
    "tickets: bound to an origin",
    "src/inspector/door/tickets.ts",
    "kept.origin === origin ?",
    "true ?",
    DOOR,
  ],
  [
    "the feed: who does not read is sent nothing",
    "src/inspector/feed/feed-client.ts",
    "this.#wire.bufferedAmount > MAX_UNREAD_BYTES",
    "false",
    FEED,
  ],
  [
    "the feed: what is lost is counted",
    "src/inspector/feed/feed-client.ts",
    "const missed = lost + gone;",
    "const missed = lost;",
    FEED,
  ],
  [
    "the relay: headers of a proxy",
    "src/inspector/relay/relay-headers.ts",
    "REFUSED_BEGINNINGS.some(",
    "[].some(",
    RELAY,
  ],
  [
    "the relay: how many at once",
    "src/inspector/relay/relay.ts",
    "this.#running >= this.#limit",
    "false",
    RELAY,
  ],
  [
    "kept runs: who may be at one",
    "src/inspector/runs/kept-runs.ts",
    "!force && idleMs < ACTIVE_MS",
    "false",
    KEPT_RUNS,
  ],
  [
    "kept runs: one that is over",
    "src/inspector/runs/kept-runs.ts",
    "if (log.end !== undefined)",
    "if (false)",
    KEPT_RUNS,
  ],
  [
    "kept runs: what another version began",
    "src/inspector/runs/kept-runs.ts",
    'if (error.code === "RUN_INCOMPATIBLE")',
    "if (false)",
    KEPT_RUNS,
  ],
  [
    "peers: so many questions at once",
    "src/inspector/peers/peers.ts",
    "|| this.#asked.size >= MAX_ASKED_AT_ONCE",
    "",
    PEERS,
  ],
  [
    "peers: answers of a bounded length",
    "src/inspector/peers/peers.ts",
    "> MAX_ANSWER_CHARS ? null : value",
    "> MAX_ANSWER_CHARS ? value : value",
    PEERS,
  ],
  [
    "peers: all of them are waited for",
    "src/inspector/peers/peers.ts",
    "asked.answers.length >= this.expected",
    "asked.answers.length >= 1",
    PEERS,
  ],
  [
    "dead letters: a store that fails is not one that is empty",
    "src/inspector/dead-letters/dead-letters.ts",
    'return inspectorFault("DEAD_LETTERS_UNAVAILABLE"',
    'return inspectorFault("DEAD_LETTER_UNKNOWN"',
    INSPECTED_LETTERS,
  ],
  [
    "dead letters: what is not captured is not shown",
    "src/inspector/dead-letters/dead-letters.ts",
    'return payload.kind === "full" ? payload.value : null;',
    "return outcome;",
    INSPECTED_LETTERS,
  ],
  [
    "alerts: a hook is told of one key once in its time",
    "src/inspector/alerts/alert-lane.ts",
    "    else told.later = alert;",
    "    else this.#enqueue(alert);",
    DISPATCHER,
  ],
  [
    "alerts: no more wait for a hook than may",
    "src/inspector/alerts/alert-lane.ts",
    "if (this.#queue.length >= this.#options.maxQueued) {",
    "if (this.#queue.length < 0) {",
    DISPATCHER,
  ],
  [
    "alerts: what is refused is not sent again",
    "src/inspector/alerts/alert-lane.ts",
    "if (error instanceof AlertRefused) {",
    "if (false) {",
    DISPATCHER,
  ],
  [
    "alerts: a webhook follows no redirect",
    "src/inspector/alerts/webhook-alert-hook.ts",
    'redirect: "manual"',
    'redirect: "follow"',
    WEBHOOK,
  ],
  [
    "alerts: a webhook's time is signed",
    "src/inspector/alerts/webhook-secret.ts",
    "`${id}.${timestamp}.${body}`",
    "`${id}.${body}`",
    WEBHOOK,
  ],
  [
    "alerts: a webhook's status is looked at",
    "src/inspector/alerts/webhook-alert-hook.ts",
    "if (status >= 200 && status < 300) return;",
    "if (status > 0) return;",
    WEBHOOK,
  ],
  [
    "alerts: of too few runs nothing is said",
    "src/inspector/alerts/rule-watch.ts",
    "if (runs === undefined || runs.count < minRuns) return undefined;",
    "if (runs === undefined) return undefined;",
    RULES,
  ],
  [
    "alerts: what is at its bound does not flap",
    "src/inspector/alerts/rule-watch.ts",
    "allowed * STAYS_ABOVE : allowed",
    "allowed : allowed",
    RULES,
  ],
  [
    "alerts: no more are kept than may be",
    "src/inspector/alerts/alerts.ts",
    "if (this.#kept.size > this.maxAlerts) this.#makeRoom();",
    "",
    ALERTS,
  ],
  [
    "stalls: a stall is told of once",
    "src/inspector/stalls/stalls.ts",
    "if (this.#stalled.has(node) || this.#ageOf",
    "if (this.#ageOf",
    STALLS,
  ],
  [
    "stalls: what is inside is what stalls",
    "src/inspector/stalls/open-nodes.ts",
    "inner.node.startsWith(`${outer.node}/`) ||",
    "",
    STALLS,
  ],
  [
    "stalls: with its run a stall ends",
    "src/inspector/stalls/stalls.ts",
    "if (this.#stalled.size > 0) this.#follow(watched);",
    "",
    STALLS,
  ],
  [
    "stalls: a Timeline that is full says nothing of what is open",
    "src/inspector/stalls/open-nodes.ts",
    "if (dropped > 0) {",
    "if (dropped < 0) {",
    STALLS,
  ],
  [
    "conditions: a property that is inherited is not there",
    "src/inspector/breakpoints/compile-condition.ts",
    "found = Object.getOwnPropertyDescriptor(found, name)?.value;",
    "found = (found as Readonly<Record<string, unknown>>)[name];",
    CONDITIONS,
  ],
  [
    "conditions: only what is of one type has an order",
    "src/inspector/breakpoints/compile-condition.ts",
    "typeof found === typeof wanted &&",
    "",
    CONDITIONS,
  ],
  [
    "conditions: nest no deeper than they may",
    "src/inspector/breakpoints/parse-condition.ts",
    "if (this.#nesting === MAX_NESTING)",
    "if (this.#nesting < 0)",
    CONDITIONS,
  ],
  [
    "breakpoints: no more than may be",
    "src/inspector/breakpoints/breakpoints.ts",
    "if (this.#breakpoints.size >= this.maxBreakpoints)",
    "if (this.#breakpoints.size > this.maxBreakpoints)",
    BREAKPOINTS,
  ],
  [
    "breakpoints: a circuit is left alone when none is enabled",
    "src/inspector/breakpoints/breakpoints.ts",
    "      release();\n",
    "",
    BREAKPOINTS,
  ],
  [
    "held runs: no more than may be",
    "src/inspector/breakpoints/held-runs.ts",
    "return taken < this.#options.maxHeld ||",
    "return taken <= this.#options.maxHeld ||",
    STEERING,
  ],
  [
    "held runs: a stepped run keeps its place",
    "src/inspector/breakpoints/held-runs.ts",
    "this.#holds.size + this.#stepping.size",
    "this.#holds.size",
    STEERING,
  ],
  [
    "held runs: with the run its hold ends",
    "src/inspector/breakpoints/held-runs.ts",
    'this.endWhere("gone", (held) => held.run === run);',
    "",
    STEERING,
  ],
  [
    "held runs: with the breakpoint its holds end",
    "src/inspector/breakpoints/steering.ts",
    'this.#held.endWhere("resume", ({ shown }) => shown.breakpoint_id === id);',
    "",
    STEERING,
  ],
  [
    "held runs: an edit has to fit",
    "src/inspector/breakpoints/steering.ts",
    "return check(edited) ? [] : errors(edited);",
    "return [];",
    STEERING,
  ],
  [
    "held runs: a mask is not written over what it hides",
    "src/inspector/breakpoints/edited-input.ts",
    "if (isSame(edit, shown)) return held;",
    "if (isSame(edit, shown)) return edit;",
    EDITS,
  ],
  [
    "recording: who looks closely has every run",
    "src/inspector/recording/recording.ts",
    'return this.#closely.has(name) ? { kind: "all" } : this.#level;',
    "return this.#level;",
    RECORDING,
  ],
  [
    "recording: nobody goes twice",
    "src/inspector/recording/recording.ts",
    "      if (isOver) return;\n",
    "",
    RECORDING,
  ],
  [
    "peers: who does not answer counts as it last did",
    "src/inspector/peers/last-answers.ts",
    "if (!known.has(pid) && at - kept.at < KEPT_MS) known.set(pid, kept);",
    "",
    "native-tests/inspector/peers/merged-metrics.test.ts",
  ],
  [
    "peers: who has begun stands for who has ended",
    "src/inspector/peers/last-answers.ts",
    "[...known].slice(0, this.#peers.expected)",
    "known",
    "native-tests/inspector/peers/merged-metrics.test.ts",
  ],
];
