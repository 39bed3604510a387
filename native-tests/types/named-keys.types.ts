// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  type BusView,
  busKey,
  Framework,
  fault,
  guard,
  param,
  pass,
  Type,
  transition,
} from "framework";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const Plan = busKey<string>()("Plan");
const Berth = busKey<number>()("Berth");
const start = Axon.start<number>("a");

// What a name gives
start.thenFn("s", { uses: { plan: Plan }, sets: { berth: Berth }, mayUse: { other: Plan } }, (n, bus) => {
  yes<Is<typeof bus.plan, string>>();
  yes<Is<typeof bus.other, string | undefined>>();
  bus.berth = n + bus.berth;
  return bus.get(Plan);
});
// @ts-expect-error a name that is not declared
start.thenFn("s", { uses: { plan: Plan } }, (_, bus) => bus.plans);
start.thenFn("s", { uses: { plan: Plan } }, (_, bus) => {
  // @ts-expect-error what is used is not set
  bus.plan = "x";
});
start.thenFn("s", { sets: { berth: Berth } }, (_, bus) => {
  // @ts-expect-error a value of another type
  bus.berth = "x";
});
// @ts-expect-error what may be absent may be undefined
start.thenFn("s", { mayUse: { plan: Plan } }, (_, bus): string => bus.plan);
// @ts-expect-error a key that is not declared, by its key
start.thenFn("s", { uses: { plan: Plan } }, (_, bus) => bus.get(Berth));
// @ts-expect-error no key
start.thenFn("s", { uses: { plan: "Plan" } }, () => 1);
const asks = (bus: BusView<typeof Berth>): number => bus.get(Berth);
start.thenFn("s", { uses: { berth: Berth } }, (_, bus) => asks(bus));
// @ts-expect-error a view without the key that a helper asks for
start.thenFn("s", { uses: { plan: Plan } }, (_, bus) => asks(bus));

// The flow of keys
const set = start.thenFn("set", { sets: { plan: Plan } }, (n, bus) => {
  bus.plan = "gold";
  return n;
});
const use = transition({
  name: "use",
  input: Type.Number(),
  uses: { plan: Plan },
  run: (n, bus) => bus.plan.length + n,
});
void set.then(use).execute(1);
// @ts-expect-error no step sets the key
void start.then(use).execute(1);
Framework.http().get(
  "/:id",
  Axon.start("a").thenFn("s", { uses: { id: param("id") } }, (_, bus) => bus.id),
);
const byId = Axon.start("a").thenFn("s", { uses: { id: param("id") } }, (_, bus) => bus.id);
// @ts-expect-error the path has no such parameter
Framework.http().get("/", byId);
const known = guard({
  name: "g",
  uses: { plan: Plan },
  run: (input, bus) => (bus.plan === "" ? fault(404) : pass(input)),
});
// @ts-expect-error nothing provides what the guard uses
Framework.http().get("/", Axon.start("a"), { guards: [known] });
