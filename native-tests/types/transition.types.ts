// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  Bus,
  type BusView,
  branch,
  busKey,
  emit,
  eventKind,
  type Fault,
  fault,
  jump,
  match,
  type Pass,
  pass,
  synapse,
  Type,
  transition,
} from "framework";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const Db = busKey<{ q(s: string): number }>()("Db");
const Plan = busKey<string>()("Plan");
const Total = busKey<string>()("Total");
const Accepted = eventKind<{ id: string }>()("order.accepted");

// What a step reads and writes
transition({ name: "w", reads: [Db], run: (_: number, bus) => bus.get(Db).q("x") });
// @ts-expect-error a read that is not declared
transition({ name: "w", reads: [Db], run: (_: number, bus) => bus.get(Plan) });
// @ts-expect-error a write that is not declared
transition({ name: "w", reads: [Plan], run: (_: number, bus) => bus.set(Plan, "x") });
// @ts-expect-error a value of another type
transition({ name: "w", writes: [Plan], run: (_: number, bus) => bus.set(Plan, 1) });
// @ts-expect-error what may be absent has no `get`
transition({ name: "w", mayRead: [Plan], run: (_: number, bus) => bus.get(Plan) });
// @ts-expect-error what may be absent may be undefined
transition({ name: "w", mayRead: [Plan], run: (_: number, bus): string => bus.find(Plan) });
transition({ name: "w", deletes: [Plan], run: (_: number, bus) => bus.delete(Plan) });
// @ts-expect-error a deletion that is not declared
transition({ name: "w", writes: [Plan], run: (_: number, bus) => bus.delete(Plan) });
// @ts-expect-error what may be written may not be deleted
transition({ name: "w", mayWrite: [Plan], run: (_: number, bus) => bus.delete(Plan) });
// @ts-expect-error what may be deleted is not read
transition({ name: "w", deletes: [Plan], run: (_: number, bus) => bus.find(Plan) });
// @ts-expect-error keys of one value type and two names are two types
export const mixed: typeof Plan = Total;
// @ts-expect-error undefined means absence
busKey<string | undefined>();
transition({ name: "ok", pure: true, run: (i: number) => i });
// @ts-expect-error left out where it does not hold
transition({ name: "w", pure: false, run: (i: number) => i });
// @ts-expect-error likewise
transition({ name: "w", effect: false, run: (i: number) => i });
// @ts-expect-error a synapse is never pure
synapse({ name: "w", pure: true, call: (i: number) => i });
Axon.start<number>("ok").thenFn("ok", { effect: true, sets: { plan: Plan } }, (i, bus) => {
  bus.plan = String(i);
});

// What a step can answer
transition({ name: "ok", jumps: ["again"], run: (i: number) => (i > 1 ? jump("again", i) : i) });
// @ts-expect-error an undeclared jump
transition({ name: "w", run: (i: number) => (i > 1 ? jump("again", i) : i) });
// @ts-expect-error another label than the declared one
transition({ name: "w", jumps: ["agian"], run: (i: number) => (i > 1 ? jump("again", i) : i) });
// @ts-expect-error an undeclared branch
transition({ name: "w", run: (i: number) => (i > 1 ? branch("vip", i) : i) });
// @ts-expect-error an undeclared branch, answered later
transition({ name: "w", run: async (i: number) => (i > 1 ? branch("vip", i) : i) });
// @ts-expect-error an undeclared event
transition({ name: "w", run: (i: number) => emit(Accepted, { id: "1" }, i) });
// @ts-expect-error an event that carries something else
transition({ name: "w", emits: [Accepted], run: (i: number) => emit(Accepted, { id: 1 }, i) });
// @ts-expect-error an answer against the output schema
transition({ name: "w", output: Type.String(), run: (i: number) => i });
// @ts-expect-error an input of another type than the input schema's
transition({ name: "w", input: Type.String(), run: (i: number) => i });

const typed = transition({
  name: "t",
  input: Type.Object({ id: Type.String() }),
  run: ({ id }) => id.length,
});
yes<Is<Parameters<typeof typed.run>[0], { id: string }>>();
const anything = transition({ name: "any", run: (): any => 1 });
yes<Is<ReturnType<typeof anything.run>, any>>();

// A class is a step where its members fit
export class RateLimitGuard {
  readonly name = "RateLimitGuard";
  readonly reads = [Plan] as const;
  run(input: unknown, bus: BusView<typeof Plan>): Pass | Fault<{ kind: "rate-limited" }> {
    return bus.get(Plan) === "" ? fault({ kind: "rate-limited" }) : pass(input);
  }
}

// Values that are given
Bus.of([
  [Plan, "gold"],
  [Db, { q: () => 1 }],
]);
// @ts-expect-error a value of another type
Bus.of([[Plan, 1]]);

// Reading an outcome
declare const outcome: number | Fault<"no">;
yes<Is<ReturnType<typeof read>, string>>();
function read() {
  return match(outcome, { next: (n) => n.toFixed(), fault: (error) => error });
}
// @ts-expect-error the fault is not read
match(outcome, { next: (n) => n });
// @ts-expect-error there is no branch to read
match(outcome, { next: () => 1, fault: () => 1, branch: () => 1 });
