// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import { Axon, type BusView, Framework, Type, transition } from "framework";

const order = Type.String({ maxLength: 100 });
const start = Axon.start<string>("a");

// What is declared
start.withLabels({ order }).thenFn("s", { labels: ["order"] }, (id, bus) => {
  bus.label("order", id);
  // @ts-expect-error a text
  bus.label("order", 7);
  // @ts-expect-error another label
  bus.label("orders", id);
});
start.thenFn("s", (id, bus) => {
  // @ts-expect-error a step without labels
  bus.label("order", id);
});
transition({ name: "s", labels: ["order"], run: (id: string, bus) => bus.label("order", id) });
const helper = (bus: BusView<never, never, never, never, never, "order">): void => bus.label("order", "1");
start.thenFn("s", { labels: ["order", "region"] }, (_, bus) => helper(bus));
// @ts-expect-error the helper sets a label that the step does not declare
start.thenFn("s", { labels: ["region"] }, (_, bus) => helper(bus));

// What an Axon declares
const labelling = start.thenFn("s", { labels: ["order"] }, (id, bus) => bus.label("order", id));
const then = start.then(
  transition({ name: "s", labels: ["order"], run: (_: string, bus) => bus.label("order", "") }),
);
void labelling.withLabels({ order }).execute("1");
void then.withLabels({ order }).execute("1");
void start.withLabels({ order }).subgraph(labelling).execute("1");
// @ts-expect-error no withLabels declares 'order'
void labelling.execute("1");
// @ts-expect-error another one is declared
void then.withLabels({ orders: order }).execute("1");
const route = Axon.start("a").thenFn("s", { labels: ["order"] }, (_, bus) => bus.label("order", ""));
// @ts-expect-error no withLabels declares 'order'
Framework.http().get("/", route);
// @ts-expect-error labels are texts
start.withLabels({ order: Type.Number() });
