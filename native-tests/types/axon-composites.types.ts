// Compiled, never run: an unused @ts-expect-error fails the build.
import { Bus } from "#core/bus/bus.js";
import { busKey } from "#core/bus/bus-key.js";
import { branch, type Fault, fault, isFault, jump, type Pass, pass } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import type { RuntimeFault } from "#core/bus/runtime-fault.js";
import { transition } from "#core/flow/transition.js";
import { FencingToken } from "#core/ports/lock.js";
import { RunId } from "#core/ports/run-store.js";
import { Axon } from "#runtime/axon/axon.js";
import type { ErrorsOf, InOf, NeedsOf, OutOf } from "#runtime/axon/axon-flow.js";
import type { AxonInfo } from "#runtime/axon/axon-types.js";
import { DlqPolicy } from "#runtime/definition/dlq-policy.js";
import { ExecutionMode } from "#runtime/definition/execution-mode.js";
import { hasCode, RetryPolicy } from "#runtime/definition/retry-policy.js";
import { type Done, SagaPolicy } from "#runtime/definition/saga-policy.js";
import { MemoryDeadLetters } from "#runtime/kept/memory-dead-letters.js";
import { MemoryLocks } from "#runtime/kept/memory-locks.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const Db = busKey<{ q(s: string): number }>()("Db");
const User = busKey<{ id: number }>()("User");
const Plan = busKey<string>()("Plan");

interface Refused {
  readonly kind: "refused";
}
const begin = Axon.start<number>("begin");
const load = transition({
  name: "load",
  reads: [Db],
  writes: [User],
  run: (n: number, bus): string | Fault<Refused> => {
    if (n < 0) return fault({ kind: "refused" });
    bus.set(User, { id: bus.get(Db).q(String(n)) });
    return "loaded";
  },
});
const greet = transition({
  name: "greet",
  reads: [User],
  run: (s: string, bus) => s.length + bus.get(User).id,
});
const routed = transition({
  name: "routed",
  branches: ["vip"],
  run: (n: number) => (n > 1 ? branch("vip", n) : n),
});
const jumping = transition({
  name: "jumping",
  jumps: ["again"],
  run: (n: number) => (n > 1 ? jump("again", n) : n),
});

// A subgraph's faults, needs and writes are those of the Axon around it; its labels are not.
const inner = Axon.start<number>("inner").label("again").then(jumping).then(load);
const around = begin.subgraph(inner).then(greet);
yes<Is<OutOf<typeof around>, number>>();
yes<Is<ErrorsOf<typeof around>, Refused>>();
yes<Is<NeedsOf<typeof around>, typeof Db>>();
// @ts-expect-error a subgraph that takes something else
begin.subgraph(Axon.start<string>("s"));
// @ts-expect-error a subgraph with an open branch
begin.subgraph(begin.then(routed));
// @ts-expect-error what the subgraph needs is not given
void around.execute(1);
void around.execute(1, Bus.of([[Db, { q: () => 1 }]]));

// In the place of a step it takes and gives what it does as an Axon.
const step = inner.asTransition();
const again = begin.thenWithRetry(step, RetryPolicy.fixed(1, 0)).then(greet);
yes<Is<OutOf<typeof again>, number>>();
yes<Is<ErrorsOf<typeof again>, Refused>>();
yes<Is<NeedsOf<typeof again>, typeof Db>>();
// @ts-expect-error the Axon in the step's place takes a number
Axon.start<string>("s").then(step);

// Retries and time limits change no type.
const limited = begin.thenWithTimeout(load, 10);
yes<Is<OutOf<typeof limited>, string>>();
yes<Is<ErrorsOf<typeof limited>, Refused>>();
yes<Is<NeedsOf<typeof limited>, typeof Db>>();
begin
  .thenWithTimeout(routed, 5)
  .branch("vip", Axon.start<number>("vip"))
  .thenFn("n", (n) => n.toFixed());
// @ts-expect-error a number of retries is no policy
begin.thenWithRetry(load, 3);
const busy = transition({ name: "b", run: (n: number) => (n > 1 ? fault({ code: "BUSY" }) : n) });
begin.thenWithRetry(busy, RetryPolicy.fixed(1, 0).retryIf(hasCode("BUSY", "STEP_TIMEOUT")).deadline(5));
// @ts-expect-error a code that no fault of the step has
begin.thenWithRetry(busy, RetryPolicy.fixed(1, 0).retryIf(hasCode("BUZY")));
const closed = new ProblemDetail({ status: 503, code: "CLOSED", title: "The clinic is closed" });
const asked = transition({ name: "b", run: (n: number) => (n > 1 ? fault(closed) : n) });
begin.thenWithRetry(asked, RetryPolicy.fixed(1, 0).retryIf(hasCode("CLOSED", "STEP_TIMEOUT")));
// @ts-expect-error a code that no ProblemDetail of the step has
begin.thenWithRetry(asked, RetryPolicy.fixed(1, 0).retryIf(hasCode("CLOZED")));
const wide: ProblemDetail = closed;
const open = transition({ name: "b", run: (n: number) => (n > 1 ? fault(wide) : n) });
begin.thenWithRetry(open, RetryPolicy.fixed(1, 0).retryIf(hasCode("ANY")));
// @ts-expect-error a time limit is milliseconds
begin.thenWithTimeout(load, "10 ms");
// @ts-expect-error the step takes a string
begin.thenWithRetry(greet, RetryPolicy.fixed(1, 0));
// @ts-expect-error the step takes a string
begin.thenWithTimeout(greet, 10);
// @ts-expect-error an undeclared jump
begin.thenWithRetry({ name: "j", run: (n: number) => jump("again", n) }, RetryPolicy.fixed(1, 0));

// Steps at once: a result each, in their order, and faults where they do not end the run.
const text = transition({ name: "text", run: async (n: number) => String(n) });
class Guard {
  readonly name = "Guard";
  readonly reads = [Plan] as const;
  run(input: unknown): Pass | Fault<"limited"> {
    return input === 0 ? fault("limited") : pass(input);
  }
}
const all = begin.parallel([load, text, new Guard()], "AllMustSucceed", (results, input) => {
  yes<Is<typeof results, readonly [string, string, number]>>();
  yes<Is<typeof input, number>>();
  return { results };
});
yes<Is<ErrorsOf<typeof all>, Refused | "limited">>();
yes<Is<NeedsOf<typeof all>, typeof Db | typeof Plan>>();
const any = begin.parallel([load, text, new Guard()], "AnyCanFail", ([loaded, written, guarded]) => {
  yes<Is<typeof loaded, string | Fault<Refused | RuntimeFault>>>();
  yes<Is<typeof written, string | Fault<RuntimeFault>>>();
  yes<Is<typeof guarded, number | Fault<"limited" | RuntimeFault>>>();
  return isFault(loaded) ? fault("nothing" as const) : loaded.length;
});
yes<Is<ErrorsOf<typeof any>, "nothing">>();
yes<Is<OutOf<typeof any>, number>>();
const afterAll = all.thenFn("u", (_, bus) => bus.get(User), { reads: [User] });
// What steps at once write is gone when they end: it is still needed.
yes<Is<NeedsOf<typeof afterAll>, typeof Db | typeof Plan | typeof User>>();
// @ts-expect-error a step that takes a string
begin.parallel([load, greet], "AllMustSucceed", () => 1);
// @ts-expect-error a step beside others may not branch
begin.parallel([load, routed], "AllMustSucceed", () => 1);
// @ts-expect-error a step beside others may not jump
begin.parallel([jumping], "AnyCanFail", () => 1);
// @ts-expect-error no such strategy
begin.parallel([load], "FirstWins", () => 1);
// @ts-expect-error a fault may be among the results
begin.parallel([load], "AnyCanFail", ([loaded]) => loaded.length);
// @ts-expect-error `merge` gets as many results as there are steps
begin.parallel([load], "AllMustSucceed", ([, second]) => second);
begin.parallel([begin.then(jumping).label("again").asTransition()], "AllMustSucceed", ([n]) => n);

// What undoes a step is given what it got and answered, and reads what the step has written.
const compensated = begin.thenCompensated(
  load,
  transition({
    name: "undo load",
    reads: [User, Plan],
    run: ({ input, output }: Done<number, string>, bus) =>
      void [input.toFixed(), output.length, bus.get(User).id, bus.get(Plan)],
  }),
  { retry: RetryPolicy.fixed(1, 0) },
);
yes<Is<OutOf<typeof compensated>, string>>();
yes<Is<ErrorsOf<typeof compensated>, Refused>>();
yes<Is<NeedsOf<typeof compensated>, typeof Db | typeof Plan>>();
begin.thenCompensated(load, ({ input, output }) => [input.toFixed(), output.length]);
// With retries and a time limit of its own a step still types what undoes it.
begin.thenCompensated(load, ({ input, output }) => [input.toFixed(), output.length], {
  step: { retry: RetryPolicy.fixed(3, 10), timeoutMs: 50 },
  retry: RetryPolicy.fixed(1, 0),
});
// @ts-expect-error the time limit is the step's, and said there
begin.thenCompensated(load, () => 1, { timeoutMs: 50 });
begin.thenCompensated(new Guard(), ({ output }) => output.toFixed());
// @ts-expect-error the step answered a string
begin.thenCompensated(load, ({ output }) => output.toFixed());
// @ts-expect-error the step got a number
begin.thenCompensated(load, ({ input }) => input.length);
begin.thenCompensated(
  load,
  // @ts-expect-error a step that undoes something else
  transition({ name: "undo", run: (_: Done<string, string>) => 1 }),
);
const undone = begin
  .then(load)
  .compensateWith(transition({ name: "undo", reads: [User, Plan], run: (_: Done<number, string>) => 1 }));
yes<Is<NeedsOf<typeof undone>, typeof Db | typeof Plan>>();
yes<Is<OutOf<typeof undone>, string>>();
// @ts-expect-error the last step answered a string
begin.then(load).compensateWith(({ output }) => output.toFixed());

// How a run ends changes no type.
const ended = undone
  .withSagaPolicy(SagaPolicy.enabled({ retry: RetryPolicy.exponentialDefault(3, 10) }))
  .withDlqSink(new MemoryDeadLetters())
  .withDlqPolicy(DlqPolicy.retryThenSend(RetryPolicy.fixed(1, 0)));
yes<Is<typeof ended, typeof undone>>();
// @ts-expect-error a policy is made by its class
undone.withSagaPolicy({ isEnabled: true });
// @ts-expect-error a sink sends
undone.withDlqSink({ keep: () => {} });
// @ts-expect-error a policy is made by its class
undone.withDlqPolicy("drop");

// A lock gives its Axon a token, before and behind the call.
const token = transition({
  name: "token",
  reads: [FencingToken],
  run: (_: number, bus) => bus.get(FencingToken),
});
const singleton = ExecutionMode.singleton("k", 1000, new MemoryLocks());
yes<Is<NeedsOf<typeof tokenless>, typeof FencingToken>>();
const tokenless = begin.then(token).withExecutionMode(ExecutionMode.local());
const locked = begin.then(token).withExecutionMode(singleton).then(token);
yes<Is<NeedsOf<typeof locked>, never>>();
// Who knows which of the two it is?
const either = begin.withExecutionMode(singleton as ExecutionMode).then(token);
yes<Is<NeedsOf<typeof either>, typeof FencingToken>>();
// A store gives it an id, before and behind the call.
const id = transition({ name: "id", reads: [RunId], run: (_: number, bus) => bus.get(RunId).length });
const kept = begin.then(id).withPersistenceStore(new MemoryRuns(), { checkpoint: "async" }).then(id);
yes<Is<NeedsOf<typeof kept>, never>>();
const goneOn = kept.resume("r");
yes<Is<Awaited<typeof goneOn>, number | Fault<RuntimeFault>>>();
// @ts-expect-error there is no such checkpoint
begin.withPersistenceStore(new MemoryRuns(), { checkpoint: "often" });
// @ts-expect-error a store reads too
begin.withPersistenceStore({ append: () => true });
// @ts-expect-error a mode is made by its functions
begin.withExecutionMode("singleton");

// From a node on it answers the same.
const resumed = ended.executeFrom("begin/load", { anything: true });
yes<Is<Awaited<typeof resumed>, string | Fault<Refused | RuntimeFault>>>();
// @ts-expect-error a node is named by its id
void ended.executeFrom(1, 1);

type Info = AxonInfo<typeof ended>;
yes<Is<Info["input"], number>>();
yes<Is<InOf<typeof ended>, number>>();
yes<Is<Info["output"], string>>();
yes<Is<Info["faults"], Refused>>();
yes<Is<Info["needs"], "Db" | "Plan">>();
