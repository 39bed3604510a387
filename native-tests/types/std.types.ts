// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  AccessLogEntry,
  Axon,
  busKey,
  type ClientIdentity,
  type Fault,
  fault,
  IsolationPolicy,
  type ProblemDetail,
  RateLimitHeaders,
  type RequestMethod,
  type RequestPath,
  SecurityHeaders,
  synapse,
  TenantId,
  TenantResolver,
  Type,
} from "framework";
import type { Branch } from "framework/core";
import {
  AccessLogGuard,
  CorsGuard,
  CsrfGuard,
  DelayNode,
  ErrorNode,
  FilterNode,
  FilterTransformNode,
  FlattenNode,
  type GuardFault,
  IdentityNode,
  LogNode,
  MapNode,
  MathNode,
  MergeNode,
  type NodeFault,
  PatternValidator,
  QueueEventSource,
  RandomBranchNode,
  RangeValidator,
  type RateLimitFault,
  RateLimitGuard,
  RequiredNode,
  ResolveTenant,
  SchemaValidator,
  SecurityHeadersGuard,
  SecurityPolicy,
  StringNode,
  SwitchNode,
} from "framework/std";
import type { ErrorsOf, NeedsOf, OutOf } from "#runtime/axon/axon-flow.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

interface Order {
  readonly id: string;
  readonly qty: number;
  readonly note?: string | null;
  readonly kind: "card" | "cash";
}
const Guests = busKey<number>()("Guests");
const Cents = busKey<bigint>()("Cents");
const order = Axon.start<Order>("order");
const amount = Axon.start<number>("amount");

// Steps that only let their input pass fit anywhere, and change nothing
const passed = order
  .then(new IdentityNode())
  .then(new DelayNode(5))
  .then(new LogNode("seen"))
  .then(new LogNode("seen", { select: ({ id }) => id }))
  .then(new RangeValidator({ field: "qty", min: 1 }))
  .then(new PatternValidator("^[a-z]+$", { field: "id" }));
yes<Is<OutOf<typeof passed>, Order>>();
yes<Is<ErrorsOf<typeof passed>, NodeFault<"RANGE_EXCEEDED"> | NodeFault<"PATTERN_MISMATCH">>>();
yes<Is<NeedsOf<typeof passed>, never>>();
// @ts-expect-error a field that the input does not have
order.then(new LogNode("seen", { select: ({ missing }) => missing }));
// @ts-expect-error a field that is no number
order.then(new RangeValidator({ field: "id", min: 1 }));
// @ts-expect-error a field that is no string
order.then(new PatternValidator("a", { field: "qty" }));
// @ts-expect-error an object where the number itself is wanted
order.then(new RangeValidator({ min: 1 }));
amount.then(new RangeValidator({ min: 1 }));
Axon.start<string>("text").then(new PatternValidator("a"));

// Branches are open until each has its Axon
const filtered = order.then(new FilterNode(({ qty }) => qty > 0));
const rejected = filtered.branch("rejected", Axon.start<Order>("no").then(new ErrorNode({ code: "EMPTY" })));
yes<Is<OutOf<typeof rejected>, Order>>();
yes<Is<ErrorsOf<typeof rejected>, { readonly code: "EMPTY" }>>();
// @ts-expect-error there is no such branch
filtered.branch("refused", Axon.start<Order>("no"));
// @ts-expect-error the branch carries an order
filtered.branch("rejected", Axon.start<string>("no"));
const narrowed = Axon.start<string | number>("either").then(
  new FilterNode((value) => typeof value === "string"),
);
yes<Is<OutOf<typeof narrowed>, string>>();
narrowed.branch("rejected", Axon.start<number>("numbers"));
// @ts-expect-error what a type guard rejects is the rest
narrowed.branch("rejected", Axon.start<string>("strings"));

const switched = order.then(new SwitchNode(["card", "cash"], ({ kind }) => kind));
yes<Is<OutOf<typeof switched>, never>>();
const paid = switched
  .branch(
    "card",
    Axon.start<Order>("card").thenFn("pay", () => 1),
  )
  .branch(
    "cash",
    Axon.start<Order>("cash").thenFn("pay", () => "coins"),
  );
yes<Is<OutOf<typeof paid>, number | string>>();
void paid.execute({ id: "a", qty: 1, kind: "card" });
// @ts-expect-error a branch that is not in the list
order.then(new SwitchNode(["card"], ({ kind }) => kind));
// @ts-expect-error no such branch
switched.branch("cheque", Axon.start<Order>("cheque"));
const maybe = order.then(
  new SwitchNode(["large"], ({ qty }: Order) => (qty > 9 ? ("large" as const) : undefined)),
);
yes<Is<OutOf<typeof maybe>, Order>>();

const drawn = order.then(new RandomBranchNode({ canary: 0.05 }));
yes<Is<OutOf<typeof drawn>, Order>>();
drawn.branch("canary", Axon.start<Order>("canary"));
// @ts-expect-error no such branch
drawn.branch("dark", Axon.start<Order>("dark"));
yes<Is<ReturnType<RandomBranchNode<1, "a">["run"]>, 1 | Branch<"a", 1>>>();

// Values
yes<Is<OutOf<typeof mapped>, number>>();
const mapped = order.then(new MapNode(({ id }) => id.length));
const later = order.then(new MapNode(async ({ id }) => id));
yes<Is<OutOf<typeof later>, string>>();
const sizes = Axon.start<(string | null)[]>("list").then(
  new FilterTransformNode(
    (item: string | null) => item !== null,
    (item) => item.length,
  ),
);
yes<Is<OutOf<typeof sizes>, number[]>>();
const nested = Axon.start<number[][][]>("lists");
const once = nested.then(new FlattenNode());
yes<Is<OutOf<typeof once>, number[][]>>();
const twice = nested.then(new FlattenNode(2));
yes<Is<OutOf<typeof twice>, number[]>>();
// @ts-expect-error no list
amount.then(new FlattenNode());

const merged = order.then(new MergeNode(({ qty }) => ({ qty: String(qty), total: 1 })));
yes<Is<OutOf<typeof merged>["qty"], string>>();
yes<Is<OutOf<typeof merged>["total"], number>>();
yes<Is<OutOf<typeof merged>["id"], string>>();
yes<Is<ErrorsOf<typeof merged>, never>>();
interface Settings {
  readonly theme: { readonly dark: boolean; readonly accent: string };
  readonly tags: readonly string[];
}
const deep = Axon.start<Settings>("settings").then(
  new MergeNode(() => ({ theme: { dark: 1 }, tags: [1] }), { deep: true }),
);
yes<Is<OutOf<typeof deep>, { theme: { accent: string; dark: number }; tags: number[] }>>();
yes<Is<ErrorsOf<typeof deep>, NodeFault<"MERGE_TOO_DEEP">>>();
const optional = Axon.start<{ a: number }>("o").then(new MergeNode((): { a?: string } => ({})));
yes<Is<OutOf<typeof optional>["a"], number | string>>();

// Numbers and bigints do not mix; what is read from the Bus is needed
const sum = amount.then(new MathNode("add", 5));
yes<Is<OutOf<typeof sum>, number>>();
yes<Is<ErrorsOf<typeof sum>, NodeFault<"DIVISION_BY_ZERO"> | NodeFault<"NUMBER_OVERFLOW">>>();
const shared = amount.then(new MathNode("div", Guests));
yes<Is<NeedsOf<typeof shared>, typeof Guests>>();
const big = Axon.start<bigint>("big").then(new MathNode("div", 3n)).then(new MathNode("mul", Cents));
yes<Is<OutOf<typeof big>, bigint>>();
// @ts-expect-error a number and a bigint
amount.then(new MathNode("add", 5n));
// @ts-expect-error a number and a bigint on the Bus
amount.then(new MathNode("add", Cents));
// @ts-expect-error what is needed is not given
void shared.execute(1);
Axon.start<string>("text").then(new StringNode("append", "!")).then(new StringNode("upper"));
// @ts-expect-error nothing to append
new StringNode("append");
// @ts-expect-error nothing to do with a text
new StringNode("upper", "!");

// What a check has shown, the type says
const required = order.then(new RequiredNode("note"));
yes<Is<OutOf<typeof required>["note"], string>>();
yes<Is<ErrorsOf<typeof required>, NodeFault<"FIELD_MISSING">>>();
// @ts-expect-error no such field
order.then(new RequiredNode("notes"));
const fitting = Axon.start<unknown>("any").then(new SchemaValidator(Type.Object({ id: Type.String() })));
yes<Is<OutOf<typeof fitting>, { id: string }>>();
yes<Is<ErrorsOf<typeof fitting>, NodeFault<"SCHEMA_MISMATCH">>>();
declare const refused: NodeFault<"SCHEMA_MISMATCH">;
yes<Is<ReturnType<typeof refused.toProblemDetail>, ProblemDetail>>();

// The tenant is there behind the step that resolves it
const tenant = order
  .then(new ResolveTenant(TenantResolver.header("x-tenant"), IsolationPolicy.strict()))
  .thenFn("use", (_, bus) => bus.get(TenantId), { reads: [TenantId] });
yes<Is<NeedsOf<typeof tenant>, never>>();
const unresolved = order.thenFn("use", (_, bus) => bus.get(TenantId), { reads: [TenantId] });
// @ts-expect-error nobody resolves the tenant
void unresolved.execute({ id: "a", qty: 1, kind: "card" });

// A Synapse: what it asks with, answers and fails with
const quote = synapse({
  name: "quote",
  reads: [Guests],
  call: async ({ id }: Order, bus) => id.length + bus.get(Guests) + Number(bus.signal.aborted),
  toFault: (thrown) => (thrown instanceof RangeError ? ({ code: "TOO_FAR" } as const) : undefined),
});
const quoted = order.then(quote);
yes<Is<OutOf<typeof quoted>, number>>();
yes<Is<ErrorsOf<typeof quoted>, { readonly code: "TOO_FAR" }>>();
yes<Is<NeedsOf<typeof quoted>, typeof Guests>>();
const plain = order.then(synapse({ name: "ping", call: (_: unknown) => "pong" }));
yes<Is<OutOf<typeof plain>, string>>();
yes<Is<ErrorsOf<typeof plain>, never>>();
synapse({ name: "typed", input: Type.Object({ id: Type.String() }), call: ({ id }) => id.length });
// @ts-expect-error a key that is not declared
synapse({ name: "w", call: (_: Order, bus) => bus.get(Guests) });
// @ts-expect-error the service asks for something else
amount.then(quote);
const refusing = order.then(synapse({ name: "w", call: (_: Order): number | Fault<"no"> => fault("no") }));
yes<Is<ErrorsOf<typeof refusing>, "no">>();

// What a queue takes is what its readers get
const queue = new QueueEventSource<number>();
queue.send(1);
// @ts-expect-error events of another type
queue.send("1");

// Guards of origins fit in front of any input, and need no more than an ingress knows
const crossOrigin = order.then(new CorsGuard()).then(new CsrfGuard());
yes<Is<OutOf<typeof crossOrigin>, Order>>();
yes<Is<ErrorsOf<typeof crossOrigin>, GuardFault<"ORIGIN_REFUSED"> | GuardFault<"CSRF_REFUSED">>>();
yes<Is<NeedsOf<typeof crossOrigin>, typeof RequestMethod>>();
new CorsGuard({ allowedOrigins: ["https://app.example", (origin) => origin.length > 9] });
// @ts-expect-error a promise is no consent
new CorsGuard({ allowedOrigins: [async (_: string) => true] });
// @ts-expect-error a misspelt option
new CorsGuard({ origins: ["https://app.example"] });
// @ts-expect-error a misspelt choice
new CsrfGuard({ unknownSource: "allow" });
// What a page needs of its security headers is there behind the guard alone
const page = order
  .then(new SecurityHeadersGuard(SecurityPolicy.default().withNonce()))
  .thenFn("render", (_, bus) => bus.get(SecurityHeaders).nonce, { reads: [SecurityHeaders] });
yes<Is<NeedsOf<typeof page>, never>>();
yes<Is<ErrorsOf<typeof page>, never>>();
const bare = order.thenFn("render", (_, bus) => bus.get(SecurityHeaders).nonce, { reads: [SecurityHeaders] });
// @ts-expect-error nobody makes the nonce
void bare.execute({ id: "a", qty: 1, kind: "card" });
SecurityPolicy.default()
  .with({ "x-frame-options": false })
  .withCsp({ "img-src": ["'self'", "data:"] });
// @ts-expect-error a header that is misspelt
SecurityPolicy.default().with({ "x-frame-option": "DENY" });
// @ts-expect-error a directive that is misspelt
SecurityPolicy.default().withCsp({ "image-src": ["'self'"] });

// What a client has left is there behind the limit alone
const limited = order
  .then(new RateLimitGuard(10, 1000, { onStoreFailure: "admit" }))
  .thenFn("left", (_, bus) => bus.get(RateLimitHeaders).remaining, { reads: [RateLimitHeaders] });
yes<Is<NeedsOf<typeof limited>, typeof ClientIdentity>>();
yes<Is<ErrorsOf<typeof limited>, RateLimitFault>>();
yes<Is<OutOf<typeof limited>, number | undefined>>();
// @ts-expect-error a misspelt option
new RateLimitGuard(10, 1000, { max: 5 });
// @ts-expect-error a store that says nothing of what it decided
new RateLimitGuard(10, 1000, { store: { take: () => true } });

// Steps add to the line of the access log behind the guard alone, and what a line can hold
const logged = order.then(new AccessLogGuard().redactPaths(["/users/*"])).thenFn(
  "note",
  (placed, bus) => {
    bus.get(AccessLogEntry).add({ qty: placed.qty, kind: placed.kind, paid: false, coupon: null });
    // @ts-expect-error an object is not written
    bus.get(AccessLogEntry).add({ placed });
    return placed;
  },
  { reads: [AccessLogEntry] },
);
yes<Is<NeedsOf<typeof logged>, typeof RequestMethod | typeof RequestPath>>();
yes<Is<ErrorsOf<typeof logged>, never>>();
const unlogged = order.thenFn("note", (_, bus) => bus.get(AccessLogEntry).path, { reads: [AccessLogEntry] });
// @ts-expect-error nobody writes a line
void unlogged.execute({ id: "a", qty: 1, kind: "card" });
// @ts-expect-error a misspelt option
new AccessLogGuard({ redact: ["/users/*"] });
