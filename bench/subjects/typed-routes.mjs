// The text of a program with many typed routes: each has nine steps that between
// them use what types carry: Bus keys, faults, a branch, an event, a promise.

export const typedRoutes = (count) =>
  [
    head,
    ...Array.from({ length: count }, (_, i) => route(i)),
    "void server.run({ Db: { load: (id) => id } });",
    "",
  ].join("\n");

const head = `
import {
  Axon, branch, busKey, type BusView, emit, eventKind, type Fault, fault, Framework, type Pass, pass, Type,
} from "../../../dist/index.js";

const Db = busKey<{ load(id: string): string }>()("Db");
const Plan = busKey<string>()("Plan");
const Accepted = eventKind<{ id: string }>()("order.accepted");

class PlanGuard {
  readonly name = "PlanGuard";
  readonly reads = [Plan] as const;
  run(input: unknown, bus: BusView<typeof Plan>): Pass | Fault<{ code: "no_plan" }> {
    return bus.get(Plan) === "none" ? fault({ code: "no_plan" as const }) : pass(input);
  }
}

const server = Framework.http({ resources: [Db] }).provide(Plan, () => "gold");
`;

const route = (i) => `
const User${i} = busKey<{ readonly name: string }>()("User${i}");
const Price${i} = busKey<number>()("Price${i}");
const Input${i} = Type.Object({
  id: Type.String(),
  note: Type.Optional(Type.String()),
  lines: Type.Array(Type.Object({ sku: Type.String(), quantity: Type.Integer(), price: Type.Number() })),
});
const vip${i} = Axon.start<{ total: number }>("vip-${i}").thenFn("reduce", ({ total }) => ({ total: total * 0.9 }));
const axon${i} = Axon.start("order-${i}", Input${i})
  .then(new PlanGuard())
  .thenFn("load", (input, bus) => {
    if (input.id === "") return fault({ code: "no_id_${i}" as const });
    bus.set(User${i}, { name: bus.get(Db).load(input.id) });
    return input;
  }, { reads: [Db], writes: [User${i}] })
  .thenFn("count", ({ id, lines }) => ({ id, lines, count: lines.length }))
  .thenFn("price", ({ id, lines }, bus) => {
    const total = lines.reduce((sum, line) => sum + line.quantity * line.price, 0);
    bus.set(Price${i}, total);
    return { id, total };
  }, { writes: [Price${i}] })
  .thenFn("stock", async ({ id, total }) => (total < 0 ? fault({ code: "no_stock_${i}" as const }) : { id, total }))
  .thenFn("vip", ({ id, total }) => (total > 100 ? branch("vip", { total }) : { id, total }), { branches: ["vip"] })
  .branch("vip", vip${i})
  .thenFn("tax", ({ total }, bus) => ({ total: total * 1.2, before: bus.get(Price${i}) }), { reads: [Price${i}] })
  .thenFn("tell", (input, bus) => emit(Accepted, { id: bus.get(User${i}).name }, input), {
    reads: [User${i}],
    emits: [Accepted],
  })
  .thenFn("sum", ({ total, before }, bus) => ({ name: bus.get(User${i}).name, total, saved: before - total }), {
    reads: [User${i}],
  });
server.post("/orders-${i}", axon${i});
`;
