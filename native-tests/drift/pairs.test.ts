// What changes of real Axons are told as, and which rule denies them.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import type { TSchema } from "@sinclair/typebox";
import {
  Axon,
  branch,
  busKey,
  Framework,
  guard,
  IamPolicy,
  jump,
  pass,
  RetryPolicy,
  Stores,
  signal,
  Type,
  transition,
} from "framework";
import { AuditLog } from "framework/audit";
import { MemoryRuns } from "framework/runtime";

import { RULES, type Rule } from "#drift/change.js";
import { comparedPrograms } from "#drift/compared-programs.js";
import { judge } from "#drift/judge.js";
import { readProgram } from "#drift/program-export.js";
import { textOf } from "#drift/report.js";
import { programFrom } from "../../src/cli/application/program-export.js";
import { fromRoot } from "../support/root.js";

type Json = any;

/** As `framework schematic export` writes it, and `diff` reads it. */
const exported = (declare: (ingress: Json) => unknown) => {
  const ingress: Json = Framework.http();
  return readProgram(JSON.stringify(programFrom((declare(ingress) as Json).routes())), "head.json");
};
const routed = (axon: Json, options: object = {}) => exported((ingress) => ingress.post("/x", axon, options));

const A = busKey<number>()("A");
const B = busKey<number>()("B");
const start = (schema?: TSchema): Json => (schema ? Axon.start("x", schema) : Axon.start<Json>("x"));
const plain = (): Json =>
  start()
    .thenFn("one", (n: Json) => n)
    .thenFn("two", (n: Json) => n);
const step = (name: string, of: object = {}): Json =>
  transition({ name, run: (n: Json) => n, ...of } as Json);
const guards = (name: string, of: object = {}): Json =>
  guard({ name, run: (input: Json) => pass(input), ...of } as Json);
const kept = (checkpoint = "sync"): Json => plain().withPersistenceStore(new MemoryRuns(), { checkpoint });
const verifier = (): Json => ({ verify: () => ({ subject: "a", roles: [], claims: {} }) });
const names = { ...verifier(), description: "names" };
const others = { ...verifier(), description: "others" };
const { requireRole, requireIdentity, anyOf, allOf, none } = IamPolicy;
const asks = (policy: Json, by = names) => plain().withIam(policy, by);
const object = (properties: Record<string, TSchema>, options = {}) => Type.Object(properties, options);
const retried = (policy: Json) => start().thenWithRetry(step("one"), policy);
const undo = step("undo one");
const gift = Axon.start<Json>("gift").thenFn("wrap", (n) => n);
const choosing = (branches: readonly string[]): Json =>
  start().thenFn("pick", (n: Json) => (n === 9 ? branch(branches[0] ?? "", n) : n), { branches });

const waiting = (schema: TSchema, ...others: readonly string[]): Json =>
  start()
    .waitForAny(
      [schema, ...others].map((of) =>
        signal<Json>()(
          typeof of === "string" ? of : "approved",
          (typeof of === "string" ? Type.String() : of) as Json,
        ),
      ),
      {
        ...{ name: "decide", take: (n: Json) => n, timeoutMs: 1000 },
      },
    )
    .withPersistenceStore(Stores.mounted);
const napping = (ms: number): Json => start().sleep("nap", ms).withPersistenceStore(Stores.mounted);

type Pair = readonly [name: string, base: Json, head: Json, texts: readonly string[], rules: readonly Rule[]];

const PAIRS: readonly Pair[] = [
  ["nothing", plain(), plain(), [], []],
  ["a new step", plain(), plain().thenFn("three", (n: Json) => n), ["step 'three' is new"], []],
  ["a step between two", start().thenFn("two", (n: Json) => n), plain(), ["step 'one' is new"], []],
  [
    "a step that is gone",
    plain(),
    start().thenFn("two", (n: Json) => n),
    ["step 'one' is gone"],
    ["node_removal"],
  ],
  [
    "steps that change places",
    plain(),
    start()
      .thenFn("two", (n: Json) => n)
      .thenFn("one", (n: Json) => n),
    [
      "edge removed: Linear to x/two",
      "edge removed: Linear to x:out",
      "edge removed: Linear to x/one",
      "edge added: Linear to x/one",
      "edge added: Linear to x:out",
      "edge added: Linear to x/two",
    ],
    [],
  ],
  [
    "a branch",
    choosing(["gift"]).branch("gift", gift),
    choosing(["gift", "vip"]).branch("gift", gift).branch("vip", gift),
    ["step 'wrap' is new", "edge added: Branch 'vip' to x:out"],
    [],
  ],
  [
    "a jump",
    start()
      .label("again")
      .thenFn("one", (n: Json) => n),
    start()
      .label("again")
      .thenFn("one", (n: Json) => (n > 9 ? jump("again", n) : n), { jumps: ["again"] }),
    ["edge added: Jump 'again' to x/one"],
    [],
  ],
  [
    "a step inside a subgraph",
    start().subgraph(gift),
    start().subgraph(gift.thenFn("ribbon", (n) => n)),
    ["step 'ribbon' is new"],
    [],
  ],
  [
    "the version of a subgraph",
    start().subgraph(gift),
    start().subgraph(gift.withVersion("2.0.0")),
    ["the version of its Axon: 2.0.0, was 1.0.0"],
    [],
  ],
  [
    "a parallel step",
    start().parallel([step("a"), step("b")], "AllMustSucceed", () => 1),
    start().parallel([step("a")], "AnyCanFail", () => 1),
    ["step 'b' is gone", "strategy: AnyCanFail, was AllMustSucceed"],
    ["node_removal"],
  ],
  [
    "a description",
    start().then(step("one")),
    start().then(step("one", { description: "One" })),
    ["the description: One, was none"],
    [],
  ],
  [
    "what a step emits",
    start().then(step("one")),
    start().then(step("one", { emits: [{ name: "done" }] })),
    ['emits: ["done"], was none'],
    [],
  ],
  ["the version", plain(), plain().withVersion("2.0.0"), ["version 2.0.0, was 1.0.0"], []],
  [
    "the name of the Axon",
    plain(),
    Axon.start<Json>("y")
      .thenFn("one", (n) => n)
      .thenFn("two", (n) => n),
    ["it is 'y', was 'x'"],
    [],
  ],
  [
    "a guard that is gone",
    routed(plain(), { guards: [guards("Open"), guards("Slow")] }),
    routed(plain(), { guards: [guards("Slow")] }),
    ["guard 'Open' is gone"],
    ["guard_removal"],
  ],
  [
    "a new guard",
    routed(plain()),
    routed(plain(), { guards: [guards("Open")] }),
    ["guard 'Open' is new"],
    [],
  ],
  [
    "a guard that moves from the ingress into the Axon",
    exported((ingress) => ingress.guard(guards("Open")).post("/x", plain())),
    routed(
      start()
        .then(guards("Open"))
        .thenFn("one", (n: Json) => n)
        .thenFn("two", (n: Json) => n),
    ),
    ["guard 'Open' is gone", "guard 'Open' is new"],
    [],
  ],
  [
    "a guard that runs behind a step which it stood before",
    routed(plain(), { guards: [guards("Open")] }),
    routed(
      start()
        .thenFn("one", (n: Json) => n)
        .then(guards("Open"))
        .thenFn("two", (n: Json) => n),
    ),
    ["guard 'Open' is gone", "guard 'Open' is new", "runs behind 'one' now"],
    ["guard_removal"],
  ],
  [
    "a layer that is gone",
    routed(plain(), { layers: [{ name: "authorize", run: (_: Json, next: Json) => next() }] }),
    routed(plain()),
    ["layer 'authorize' is gone"],
    ["guard_removal"],
  ],
  [
    "a weaker policy",
    asks(requireRole("admin")),
    asks(requireIdentity()),
    ['iam weakened: lets in any identity, was role "admin"'],
    ["iam_weakening"],
  ],
  [
    "a stronger policy",
    asks(requireRole("admin")),
    asks(allOf(requireRole("admin"), requireRole("ops"))),
    ['iam strengthened: lets in role "admin" and role "ops", was role "admin"'],
    [],
  ],
  [
    "a policy in other words",
    asks(anyOf(requireRole("a"), requireRole("b"))),
    asks(anyOf(requireRole("b"), requireRole("a"))),
    ['lets in role "b" or role "a", was role "a" or role "b"'],
    [],
  ],
  [
    "a policy that is gone",
    asks(requireRole("admin")),
    plain(),
    ['iam weakened: lets in anybody, was role "admin"', "the identity check is gone"],
    ["iam_weakening"],
  ],
  [
    "another verifier",
    asks(requireRole("a")),
    asks(requireRole("a"), others),
    ["the verifier: others, was names"],
    ["iam_weakening"],
  ],
  [
    "a route that asks for less than its Axon",
    routed(asks(requireRole("a"))),
    routed(asks(requireRole("a")), { iam: { policy: none(), weaken: "the open day" } }),
    [
      "bus changed: the same keys, always or at times",
      'iam weakened: lets in anybody, was role "a"',
      "why the route asks for less: the open day, was none",
    ],
    ["iam_weakening"],
  ],
  [
    "the policy of a guard",
    routed(plain(), { guards: [guards("Session", { admits: requireRole("a") })] }),
    routed(plain(), { guards: [guards("Session", { admits: requireIdentity() })] }),
    ['iam weakened: lets in any identity, was role "a"'],
    ["iam_weakening"],
  ],
  [
    "an input that takes less",
    start(object({ n: Type.Integer() })).thenFn("one", (n: Json) => n),
    start(object({ n: Type.Integer({ minimum: 1 }), m: Type.String() })).thenFn("one", (n: Json) => n),
    ["input narrowed: /m: required, was absent; /n: minimum 1, was no minimum"],
    ["schema_narrowing"],
  ],
  [
    "an input that takes more",
    start(object({ n: Type.Integer({ minimum: 1 }) })).thenFn("one", (n: Json) => n),
    start(object({ n: Type.Optional(Type.Integer({ minimum: 0 })) })).thenFn("one", (n: Json) => n),
    ["input widened: /n: optional, was required; /n: minimum 0, was minimum 1"],
    [],
  ],
  [
    "an input that takes less here and more there",
    start(object({ n: Type.Integer(), m: Type.String() })).thenFn("one", (n: Json) => n),
    start(object({ n: Type.Number(), m: Type.Literal("a") })).thenFn("one", (n: Json) => n),
    ['input narrowed: /m: "a", was string', "input widened: /n: number, was integer"],
    ["schema_narrowing"],
  ],
  [
    "an annotation of an input",
    start(object({ n: Type.Integer() })).thenFn("one", (n: Json) => n),
    start(object({ n: Type.Integer({ title: "N" }) })).thenFn("one", (n: Json) => n),
    ["input changed: takes the same values"],
    [],
  ],
  [
    "an output that promises less",
    plain().withOutputSchema(object({ id: Type.String(), note: Type.Optional(Type.String()) })),
    plain().withOutputSchema(object({ id: Type.Optional(Type.String()) })),
    ["output widened: /id: optional, was required; /note: gone"],
    ["output_widening"],
  ],
  [
    "an output that promises more",
    plain().withOutputSchema(object({ id: Type.Number() })),
    plain().withOutputSchema(object({ id: Type.Integer() })),
    ["output narrowed: /id: integer, was number"],
    [],
  ],
  [
    "an output without a schema",
    plain().withOutputSchema(Type.Number()),
    plain(),
    ["output removed: has no schema any more"],
    ["missing_output_schema"],
  ],
  [
    "the output of a last step, once",
    start().then(step("one", { output: Type.Integer() })),
    start().then(step("one", { output: Type.Number() })),
    ["output widened: number, was integer"],
    ["output_widening"],
  ],
  [
    "a declared response",
    routed(plain(), { responseSchemas: { 200: object({ id: Type.String() }) } }),
    routed(plain(), { responseSchemas: { 200: object({}) } }),
    ["output widened: response 200 /id: absent, was required"],
    ["output_widening"],
  ],
  [
    "keys of the Bus",
    start().then(step("one", { mayRead: [A] })),
    start().then(step("one", { mayWrite: [B] })),
    ["bus widened: may write B", "bus narrowed: no longer may read A"],
    ["bus_widening"],
  ],
  [
    "how often a key is written",
    start().then(step("one", { mayWrite: [A] })),
    start().then(step("one", { writes: [A] })),
    ["bus changed: the same keys, always or at times"],
    [],
  ],
  [
    "keys of a new step that others have too",
    start().then(step("one", { mayWrite: [A] })),
    start()
      .then(step("one", { mayWrite: [A] }))
      .then(step("two", { mayWrite: [A, B] })),
    ["step 'two' is new", "bus widened: may write B"],
    ["bus_widening"],
  ],
  [
    "more retries",
    retried(RetryPolicy.fixed(3, 10)),
    retried(RetryPolicy.fixed(5, 10)),
    ["retries: 5 times (10 ms), was 3 times (10 ms)"],
    [],
  ],
  [
    "retries without a bound",
    retried(RetryPolicy.fixed(3, 10)),
    retried(RetryPolicy.fixed(1_000_000, 10)),
    ["retries: 1000000 times (10 ms), was 3 times (10 ms)"],
    ["unbounded_retry"],
  ],
  [
    "many retries within a time",
    start().then(step("one")),
    retried(RetryPolicy.fixed(1_000_000, 10).deadline(500)),
    ["retries: 1000000 times (10 ms, within 500 ms), was none"],
    [],
  ],
  [
    "a time-out that is gone",
    start().thenWithTimeout(step("one"), 500),
    start().then(step("one")),
    ["limit widened: timeout_ms: none, was 500"],
    ["limit_raise"],
  ],
  [
    "limits of a route",
    routed(plain(), { bodyLimit: 1000, timeoutMs: 500 }),
    routed(plain(), { bodyLimit: 2000, timeoutMs: 400 }),
    ["limit widened: body_limit_bytes: 2000, was 1000", "limit narrowed: timeout_ms: 400, was 500"],
    ["limit_raise"],
  ],
  [
    "limits of a connection",
    exported((ingress) => ingress.ws("/chat", { message: (text: string) => text })),
    exported((ingress) => ingress.ws("/chat", { message: (text: string) => text, maxMessageBytes: 100_000 })),
    ["limit widened: max_message_bytes: 100000, was 65536"],
    ["limit_raise"],
  ],
  [
    "a compensation that is gone",
    start().thenCompensated(step("one"), undo),
    start().then(step("one")),
    ["step 'undo one' is gone"],
    ["compensation_removal"],
  ],
  [
    "runs that are kept less safely",
    kept(),
    kept("async"),
    ["persistence weakened: checkpoints: async, was sync"],
    ["persistence_weakening"],
  ],
  [
    "a signal that takes less",
    waiting(Type.String()),
    waiting(Type.String({ maxLength: 9 })),
    [
      "input narrowed: signal 'approved' maxLength 9, was no maxLength",
      "another structure under version 1.0.0: withVersion(...)",
    ],
    ["schema_narrowing", "unversioned_change_of_kept"],
  ],
  [
    "a signal that is not waited for any more",
    waiting(Type.String(), "rejected"),
    waiting(Type.String()),
    [
      "input narrowed: no longer waits for 'rejected'",
      "another structure under version 1.0.0: withVersion(...)",
    ],
    ["schema_narrowing", "unversioned_change_of_kept"],
  ],
  [
    "another signal, under another version",
    waiting(Type.String()),
    waiting(Type.String(), "rejected").withVersion("1.1.0"),
    ["input widened: waits for 'rejected' too", "version 1.1.0, was 1.0.0"],
    [],
  ],
  [
    "another time to sleep, and no sleep",
    napping(1000),
    napping(2000).withVersion("2.0.0"),
    ['waits: {"for":"time","ms":2000}, was {"for":"time","ms":1000}', "version 2.0.0, was 1.0.0"],
    [],
  ],
  [
    "a wait that is gone",
    napping(1000).thenFn("two", (n: Json) => n),
    start()
      .thenFn("two", (n: Json) => n)
      .withPersistenceStore(Stores.mounted)
      .withVersion("2.0.0"),
    ["wait 'nap' is gone", "version 2.0.0, was 1.0.0"],
    ["node_removal"],
  ],
  ["runs that are kept", plain(), kept(), ["persistence strengthened: checkpoints: sync, was none"], []],
  [
    "a kept Axon with another structure",
    kept(),
    kept().thenFn("three", (n: Json) => n),
    ["step 'three' is new", "another structure under version 1.0.0: withVersion(...)"],
    ["unversioned_change_of_kept"],
  ],
  [
    "a kept Axon with another structure and version",
    kept(),
    kept()
      .thenFn("three", (n: Json) => n)
      .withVersion("1.1.0"),
    ["version 1.1.0, was 1.0.0", "step 'three' is new"],
    [],
  ],
  [
    "what a replay makes of a step of a kept Axon",
    start()
      .then(step("one", { pure: true }))
      .withPersistenceStore(new MemoryRuns()),
    start()
      .then(step("one", { effect: true }))
      .withPersistenceStore(new MemoryRuns()),
    ["replay: effect, was pure"],
    [],
  ],
  [
    "the guards of a kept Axon",
    routed(kept()),
    routed(kept(), { guards: [guards("Open")] }),
    ["guard 'Open' is new"],
    [],
  ],
  [
    "an audit that lets runs go on",
    start().then(new AuditLog({ action: "book", actor: "a", target: () => "b" }) as Json),
    start().then(new AuditLog({ action: "book", actor: "a", target: () => "b", onFailure: "log" }) as Json),
    ["audit weakened: on_failure: log, was refuse"],
    ["audit_weakening"],
  ],
  [
    "a route that is gone",
    exported((ingress) => ingress.get("/a", plain()).get("/b", plain())),
    exported((ingress) => ingress.get("/a", plain())),
    ["GET /b is gone"],
    ["route_removal"],
  ],
  [
    "a new route without an output schema",
    exported((ingress) => ingress.get("/a", plain())),
    exported((ingress) => ingress.get("/a", plain()).get("/b", plain())),
    ["GET /b is new", "output removed: has no output schema"],
    ["missing_output_schema"],
  ],
  [
    "a route that responds at once",
    routed(kept()),
    routed(kept(), { detached: true }),
    ["is detached now"],
    [],
  ],
];

const programOf = (given: Json) => ("circuits" in given ? given : routed(given));
const ALL = new Set(Object.keys(RULES)) as ReadonlySet<Rule>;

describe("a change of an Axon", () => {
  for (const [name, base, head, texts, rules] of PAIRS)
    test(`is told: ${name}`, () => {
      const changes = comparedPrograms(programOf(base), programOf(head));
      const { denied } = judge(changes, { deny: ALL, allow: [] }, ({ node }) => node, "2026-01-01");

      assert.deepEqual(changes.map(textOf).sort(), [...texts].sort());
      assert.deepEqual([...new Set(denied.map(({ change }) => change.rule))].sort(), [...rules].sort());
      assert.deepEqual(comparedPrograms(programOf(head), programOf(head)), []);
    });

  test("is told once for all routes of the Axon", () => {
    const two = (axon: Json) => exported((ingress) => ingress.get("/a", axon).get("/b", axon));
    const [change, ...none] = comparedPrograms(two(plain()), two(plain().thenFn("three", (n: Json) => n)));

    assert.deepEqual([change?.mounts, none], [["GET /a", "GET /b"], []]);
  });

  test("is denied by rules that docs/schematic.md lists", () => {
    const rows = readFileSync(fromRoot("docs/schematic.md"), "utf8").matchAll(/^\| `(\w+)` \| (.+) \|$/gm);

    assert.deepEqual(Object.fromEntries([...rows].map(([, rule, what]) => [rule, what])), RULES);
  });

  test("has pairs for each rule", () => {
    const seen = new Set(PAIRS.flatMap(([, , , , rules]) => rules));

    assert.deepEqual(
      [...ALL].filter((rule) => !seen.has(rule)),
      [],
    );
    assert.ok(PAIRS.length >= 40);
  });
});
