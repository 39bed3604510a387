// What does not compile. Each `@ts-expect-error` stands over a mistake; without the mistake
// the line itself would be the error.

import { Axon, Bus, branch, busKey, emit, eventKind, Framework, jump, transition } from "framework";

const Berth = busKey<number>()("Berth");
const Docked = eventKind<{ readonly ship: string }>()("ship.docked");
const moor = Axon.start<string>("moor").thenFn("moor", (ship, bus) => `${ship} ${bus.get(Berth)}`, {
  reads: [Berth],
});

/** Functions, because for those who do not check types most of them throw. */
export const refusals = {
  "a step that takes something else": () =>
    // @ts-expect-error a text is no number
    Axon.start<string>("a").thenFn("double", (n: number) => n * 2),
  "a key that is read undeclared": () =>
    // @ts-expect-error add the key to 'uses' or 'reads' of this step
    transition({ name: "a", run: (_: string, bus) => bus.get(Berth) }),
  "a key that may be absent, got": () =>
    // @ts-expect-error find it
    transition({ name: "a", mayRead: [Berth], run: (_: string, bus) => bus.get(Berth) }),
  "a key that nobody gives": () =>
    // @ts-expect-error a Bus with Berth is needed
    moor.execute("Freya"),
  "a key that was deleted": () =>
    Axon.start<string>("a")
      .thenFn("moor", (_, bus) => bus.set(Berth, 7), { writes: [Berth] })
      .thenFn("cast off", (_, bus) => bus.delete(Berth), { deletes: [Berth] })
      .thenFn("ask", (_, bus) => bus.get(Berth), { reads: [Berth] })
      // @ts-expect-error a Bus with Berth is needed
      .execute("Freya"),
  "a value of another type": () =>
    // @ts-expect-error Berth is a number
    moor.execute("Freya", Bus.of([[Berth, "seven"]])),
  "a branch that is not declared": () =>
    // @ts-expect-error add it to 'branches'
    Axon.start<string>("a").thenFn("ask", (ship) => branch("pilot", ship)),
  "a branch that nobody takes": () =>
    // @ts-expect-error no step has branch 'pilot'
    Axon.start<string>("a").branch("pilot", Axon.start<string>("pilot")),
  "a jump that is not declared": () =>
    // @ts-expect-error add it to 'jumps'
    Axon.start<string>("a").thenFn("wait", (ship) => jump("again", ship)),
  "a branch without an Axon, mounted": () =>
    Framework.http().get(
      "/",
      // @ts-expect-error branch 'pilot' has no Axon
      Axon.start("a").thenFn("ask", () => branch("pilot", 1), { branches: ["pilot"] }),
    ),
  "a jump to no label, mounted": () =>
    Framework.http().get(
      "/",
      // @ts-expect-error no step with label 'again' takes what the jump carries
      Axon.start("a").thenFn("wait", () => jump("again", 1), { jumps: ["again"] }),
    ),
  "a branch without an Axon, executed": () =>
    // @ts-expect-error branch 'pilot' has no Axon
    Axon.start("a")
      .thenFn("ask", () => branch("pilot", 1), { branches: ["pilot"] })
      .execute(),
  "an event that is not declared": () =>
    // @ts-expect-error add its kind to 'emits'
    Axon.start<string>("a").thenFn("tell", (ship) => emit(Docked, { ship }, ship)),
  "a branch beside other steps": () =>
    Axon.start<string>("a").parallel(
      // @ts-expect-error a step beside others may neither branch nor jump
      [transition({ name: "ask", branches: ["pilot"], run: (ship: string) => branch("pilot", ship) })],
      "AllMustSucceed",
      () => 1,
    ),
};
