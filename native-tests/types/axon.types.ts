// Compiled, never run: an unused @ts-expect-error fails the build.
import { Type } from "@sinclair/typebox";

import type { BusView } from "#core/bus/bus.js";
import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import { eventKind } from "#core/bus/event.js";
import { branch, emit, type Fault, fault, jump, type Pass, pass } from "#core/bus/outcome.js";
import { transition } from "#core/flow/transition.js";
import { Axon } from "#runtime/axon/axon.js";
import type { ErrorsOf, NeedsOf, OutOf } from "#runtime/axon/axon-flow.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const Db = busKey<{ q(s: string): number }>()("Db");
const User = busKey<{ id: number }>()("User");
const Plan = busKey<string>()("Plan");
const Accepted = eventKind<{ id: string }>()("order.accepted");
const Order = Type.Object({ id: Type.String(), qty: Type.Integer() });

const load = transition({
  name: "load",
  input: Order,
  reads: [Db],
  writes: [User],
  run(input, bus) {
    if (!input.id) return fault({ code: "no_id" });
    bus.set(User, { id: bus.get(Db).q(input.id) });
    return { n: input.qty };
  },
});
const price = transition({
  name: "price",
  reads: [User],
  branches: ["vip"],
  async run(input: { n: number }, bus) {
    if (input.n > 100) return branch("vip", { n: input.n });
    return `hi ${bus.get(User).id}`;
  },
});
const vip = Axon.start<{ n: number }>("vip").then(
  transition({ name: "v", reads: [Plan], run: (i: { n: number }, bus) => `vip ${bus.get(Plan)} ${i.n}` }),
);
class RateLimitGuard {
  readonly name = "RateLimitGuard";
  readonly reads = [Plan] as const;
  run(input: unknown, bus: BusView<typeof Plan>): Pass | Fault<{ kind: "rate-limited" }> {
    return bus.get(Plan) ? pass(input) : fault({ kind: "rate-limited" });
  }
}
const ax = Axon.start("Hello", Order).then(new RateLimitGuard()).then(load).then(price).branch("vip", vip);
yes<Is<OutOf<typeof ax>, string>>();
yes<Is<ErrorsOf<typeof ax>, { kind: "rate-limited" } | { readonly code: "no_id" }>>();
yes<Is<NeedsOf<typeof ax>, typeof Plan | typeof Db>>();
void ax.execute(
  { id: "1", qty: 2 },
  Bus.of([
    [Db, { q: () => 1 }],
    [Plan, "gold"],
  ]),
);

const sub = Axon.start<{ total: number }>("outer")
  .label("again")
  .thenFn(
    "check",
    (i) => (i.total > 5 ? jump("again", { total: 1 }) : emit(Accepted, { id: "1" }, i.total)),
    {
      jumps: ["again"],
      emits: [Accepted],
    },
  );
yes<Is<OutOf<typeof sub>, number>>();
sub.thenFn("reads", (i, bus) => bus.get(Db).q(String(i)) + (bus.find(Plan)?.length ?? 0), {
  reads: [Db],
  mayRead: [Plan],
});

// What a step may delete is needed again, until it is written again.
const write = transition({ name: "write", writes: [Plan], run: (_: number, bus) => bus.set(Plan, "x") });
const drop = transition({ name: "drop", deletes: [Plan], run: (_: void, bus) => bus.delete(Plan) });
const renew = transition({
  name: "renew",
  writes: [Plan],
  deletes: [Plan],
  run(_: void, bus) {
    bus.delete(Plan);
    bus.set(Plan, "y");
  },
});
const read = transition({ name: "read", reads: [Plan], run: (_: void, bus) => bus.get(Plan) });
const dropped = Axon.start<number>("x").then(write).then(drop).then(read);
yes<Is<NeedsOf<typeof dropped>, typeof Plan>>();
const droppedByFunction = Axon.start<number>("x")
  .then(write)
  .thenFn("drop", (_, bus) => bus.delete(Plan), { deletes: [Plan] })
  .then(read);
yes<Is<NeedsOf<typeof droppedByFunction>, typeof Plan>>();
const renewed = Axon.start<number>("x").then(write).then(drop).then(renew).then(read);
yes<Is<NeedsOf<typeof renewed>, never>>();
// @ts-expect-error what is needed again is not given
void dropped.execute(1);

const a = transition({ name: "a", run: (_: { id: string }) => ({ n: 1 }) });
const b = transition({ name: "b", run: (i: { n: number; m: string }) => i.m });
const br = transition({
  name: "br",
  branches: ["vip"],
  run: (i: number) => (i > 1 ? branch("vip", { p: 1 }) : i),
});
// @ts-expect-error a step that needs more than it gets
Axon.start<{ id: string }>("x").then(a).then(b);
// @ts-expect-error a branch nobody takes
Axon.start<number>("x").then(br).branch("vipp", Axon.start<{ p: number }>("v"));
// @ts-expect-error a branch that takes another payload
Axon.start<number>("x").then(br).branch("vip", Axon.start<{ p: string }>("v"));
// @ts-expect-error a read that is not declared
transition({ name: "w", reads: [Db], run: (_: number, bus) => bus.get(Plan) });
class C {
  readonly name = "c";
  run(_: { zz: 1 }) {
    return 1;
  }
}
// @ts-expect-error a class whose input does not fit
Axon.start<{ id: string }>("x").then(new C());
// @ts-expect-error an undeclared jump
Axon.start<number>("x").thenFn("j", (i) => (i > 1 ? jump("again", i) : i));
// @ts-expect-error an undeclared event
Axon.start<number>("x").thenFn("j", (i) => emit(Accepted, { id: "" }, i));
// @ts-expect-error an undeclared branch
transition({ name: "w", run: (i: number) => (i > 1 ? branch("vip", i) : i) });
// @ts-expect-error an event of another payload
transition({ name: "w", emits: [Accepted], run: (i: number) => emit(Accepted, { id: 1 }, i) });
// @ts-expect-error what is needed is not given
void ax.execute({ id: "1", qty: 2 });
// @ts-expect-error what is needed is not given in whole
void ax.execute({ id: "1", qty: 2 }, Bus.of([[Db, { q: () => 1 }]]));
// @ts-expect-error a value of another type
Bus.of([[Plan, 1]]);
// @ts-expect-error output against its schema
transition({ name: "w", output: Type.String(), run: (i: number) => i });
// @ts-expect-error maybe absent, so get is not there
transition({ name: "w", mayRead: [Plan], run: (_: number, bus) => bus.get(Plan) });
