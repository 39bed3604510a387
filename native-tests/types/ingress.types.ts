// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  type BusView,
  branch,
  busKey,
  bytes,
  combine,
  cookie,
  Framework,
  header,
  json,
  jump,
  param,
  path,
  query,
  RequestId,
  Type,
  text,
  transition,
} from "framework";
import { TestApp } from "framework/http";

const Db = busKey<{ q(s: string): number }>()("Db");
const Plan = busKey<string>()("Plan");
const Order = Type.Object({ id: Type.String(), qty: Type.Integer() });

const ingress = Framework.http({ resources: [Db] }).provide(Plan, (bus) => `gold ${bus.get(Db).q("x")}`);
const needs = Axon.start("needs").thenFn("n", (_, bus) => bus.get(Db).q(bus.get(Plan)), {
  reads: [Db, Plan],
});
const order = Axon.start<{ id: string; qty: number }>("order").thenFn("o", (o) => o.id);
const open = Axon.start("x").thenFn("b", () => branch("vip", 1), { branches: ["vip"] });
const lost = Axon.start("x").thenFn("j", () => jump("nowhere", 1), { jumps: ["nowhere"] });
const unfit = Axon.start("x")
  .label("here")
  .thenFn("j", () => jump("here", "x"), { jumps: ["here"] });
const misspelt = Axon.start("p").thenFn("p", (_, bus) => bus.get(param("idd")), { reads: [param("idd")] });
const facts = [header("x-tenant"), cookie("sid"), RequestId] as const;

// What must compile
ingress.get("/needs", needs);
ingress.post("/order", order, { input: json(Order) });
ingress.post("/typed", Axon.start("typed", Order));
ingress.post("/bytes", Axon.start<Uint8Array>("b"), { input: bytes() });
ingress.get(
  "/facts/:id",
  Axon.start("f").thenFn("f", (_, bus) => bus.get(param("id")), { reads: [param("id"), ...facts] }),
);
ingress.route("PUT /both/:id", Axon.start<{ at: { id: string }; order: { id: string } }>("both"), {
  input: combine({ at: path(Type.Object({ id: Type.String() })), order: json(Order) }),
});
void ingress.run({ Db: { q: () => 1 } });
new TestApp(ingress, { Db: { q: () => 1 } });
new TestApp(Framework.http());

ingress.provide(busKey<number>()("Length"), (bus) => bus.get(Plan).length, { reads: [Plan] });

// What must not
// @ts-expect-error a provided value that is read without being named
ingress.provide(busKey<number>()("Length"), (bus) => bus.get(Plan).length);
// @ts-expect-error nobody provides the keys
Framework.http().get("/n", needs);
// @ts-expect-error one of the keys is not provided
Framework.http({ resources: [Db] }).get("/n", needs);
// @ts-expect-error the branch is open
ingress.get("/o", open);
// @ts-expect-error the jump goes nowhere
ingress.get("/j", lost);
// @ts-expect-error the label's step takes something else
ingress.get("/j", unfit);
// @ts-expect-error nothing makes the input
ingress.post("/i", order);
// @ts-expect-error the extractor makes something else
ingress.post("/i", order, { input: json(Type.Object({ id: Type.Number(), qty: Type.Integer() })) });
// @ts-expect-error the extractor makes too little
ingress.post("/i", order, { input: query(Type.Object({ id: Type.String() })) });
// @ts-expect-error text is no order
ingress.post("/i", order, { input: text() });
// @ts-expect-error the path has no such parameter
ingress.get("/user/:id", misspelt);
// @ts-expect-error parameters have names
query(Type.Number());
// @ts-expect-error a resource is missing
void ingress.run({});
// @ts-expect-error a resource is missing, all of them
void ingress.run();
// @ts-expect-error a resource is something else
void ingress.run({ Db: 1 });
// @ts-expect-error a resource is missing in the test
new TestApp(ingress, {});
// @ts-expect-error what is provided is something else
ingress.provide(busKey<string>()("Other"), () => 1);
// @ts-expect-error what `make` reads is not provided
Framework.http().provide(Plan, (bus) => (bus.get(Db).q("x") > 0 ? "a" : "b"));

class Undeclared {
  readonly name = "u";
  run(_: void, bus: BusView<typeof Plan>) {
    return bus.get(Plan);
  }
}
// @ts-expect-error a class that declares no reads but uses one
Framework.http().get("/u", Axon.start("u").then(new Undeclared()));

const step = transition({ name: "s", run: (i: { n: number; m: string }) => i.m });
// @ts-expect-error a step that needs more than it gets
Axon.start<{ n: number }>("x").then(step);
