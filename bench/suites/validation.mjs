import { microSuite } from "../measure/micro.mjs";
import { sampleOrder } from "../subjects/order.mjs";

export default microSuite(import.meta.url, {
  name: "validation",
  title: "Validation of a good 0.9 KB order",
  measures:
    "the compiled check of an order of eight items that fits: TypeBox's own, which counts UTF-16 units, against ours, which counts code points as JSON Schema says.",
  leavesOut: "bad values and their list of errors, parsing, compiling the schema.",
  inputs: () => Array.from({ length: 16 }, sampleOrder),
  score: Number,
  arms: [
    {
      name: "bare compiled check",
      async prepare() {
        const { TypeCompiler } = await import("@sinclair/typebox/compiler");
        const { Order } = await import("../subjects/schemas.mjs");
        const compiled = TypeCompiler.Compile(Order);
        return (order) => compiled.Check(order);
      },
    },
    {
      name: "ours",
      ours: true,
      async prepare() {
        const { compileSchema } = await import("../.build/internals.js");
        const { Order } = await import("../subjects/schemas.mjs");
        const { check } = compileSchema(Order, { owner: "order", origin: "json" });
        return (order) => check(order);
      },
    },
  ],
  bars: [{ arm: "ours", atMost: 1.1, aim: 1.05 }],
});
