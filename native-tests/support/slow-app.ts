// An application with planted faults that slow or end a process, one a route.

import { Axon, Framework, query, Type } from "framework";

const Named = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  note: Type.Optional(Type.String()),
});
const Order = Type.Object({
  code: Type.String(),
  qty: Type.Integer({ minimum: 1, maximum: 1_000_000 }),
});

/** No step's source has it. */
const WORDS = /^(\w+\s?)+$/;

const words = Axon.start("words", Named).thenFn("match", ({ name }) => ({ fits: WORDS.test(name) }));
const seen = Axon.start("seen", Named).thenFn("match", ({ name }) => ({
  fits: /^id:(?:foo|fo+)+bar$/.test(name),
}));
const asked = Axon.start<{ q: string }>("asked").thenFn("match", ({ q }) => ({ fits: /^(a+)+$/.test(q) }));

const spins = Axon.start("spins", Order).thenFn("spin", ({ qty }) => {
  // biome reads an empty loop as a mistake.
  for (let turns = 0; qty === 4711; turns += 1) if (turns < 0) break;
  return { qty };
});

const exits = Axon.start("exits", Order).thenFn("exit", ({ qty }) => {
  if (qty > 999_999) process.exit(3);
  return { qty };
});

const coupon = Axon.start("coupon", Order).thenFn("price", ({ code, qty }) => {
  if (code === "XMAS-26" && qty >= 500_000) throw new Error("no price");
  return { qty };
});

const kinds = Axon.start("kinds", Order).thenFn("choose", ({ code }) => {
  switch (code) {
    case "gold":
      throw new Error("no gold");
    default:
      return { code };
  }
});

const late = Axon.start("late").thenFn(
  "wait",
  () => new Promise((resolve) => setTimeout(resolve, 60, "late")),
);

export const ingress = () =>
  Framework.http()
    .post("/words", words)
    .post("/seen", seen)
    .get("/asked", asked, { input: query(Type.Object({ q: Type.String() })) })
    .post("/spins", spins)
    .post("/exits", exits)
    .post("/coupon", coupon)
    .post("/kinds", kinds)
    .get("/late", late);
