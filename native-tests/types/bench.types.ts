// What bench() takes. Compiled, never run.

import { Axon, Bus, busKey } from "framework";
import { bench } from "framework/bench";

const Stock = busKey<number>()("Stock");
const price = Axon.start<{ qty: number }>("price").thenFn("price", ({ qty }) => qty * 2);
const reserve = Axon.start<number>("reserve").thenFn("take", (n, bus) => n - bus.get(Stock), {
  reads: [Stock],
});

bench("an input", price, { qty: 1 });
bench("a Bus", reserve, 1, Bus.of([[Stock, 3]]));
bench("a function", () => 1);
bench("a promise", async () => 1);
bench.route("GET /orders", { headers: { accept: "*/*" } });

// @ts-expect-error the input is none of the Axon's
bench("wrong input", price, { qty: "one" });
// @ts-expect-error the Axon needs a Bus
bench("no Bus", reserve, 1);
// @ts-expect-error a function is called with nothing
bench("arguments", (n: number) => n);
// @ts-expect-error no such part of a request
bench.route("GET /orders", { json: {} });
