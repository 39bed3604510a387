// Compiled, never run: an unused @ts-expect-error fails the build.
import { Type } from "@sinclair/typebox";

import { busKey } from "#core/bus/bus-key.js";
import { branch, type Fault, fault } from "#core/bus/outcome.js";
import { Axon } from "#runtime/axon/axon.js";
import type { ErrorsOf, NeedsOf, OutOf } from "#runtime/axon/axon-flow.js";
import type { Runnable } from "#runtime/axon/axon-types.js";
import { childRun } from "#runtime/axon/waiting-steps.js";
import { signal } from "#runtime/definition/signal.js";
import { MemoryRuns } from "#runtime/kept/memory-runs.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

interface By {
  readonly by: string;
  readonly note?: string;
}
const Approved = signal<By>()(
  "approved",
  Type.Object({ by: Type.String(), note: Type.Optional(Type.String()) }),
);
const Rejected = signal<number>()("rejected", Type.Number());
// @ts-expect-error a schema that allows what the type has not
signal<{ by: string }>()("approved", Type.Object({ by: Type.Number() }));
// @ts-expect-error a schema that does not allow all that the type has
signal<{ by: string | number }>()("approved", Type.Object({ by: Type.String() }));
// @ts-expect-error no schema
signal<By>()("approved");

interface Claim {
  readonly amount: number;
  readonly due: number;
}
const Zone = busKey<string>()("Zone");
const claim = Axon.start<Claim>("claim");

// A sleep passes the value on.
const slept = claim.sleep("pause", 1000).sleep("until due", (value) => new Date(value.due));
yes<Is<OutOf<typeof slept>, Claim>>();
yes<Is<ErrorsOf<typeof slept>, never>>();
const zoned = claim.sleep("until", (_, bus) => new Date(bus.get(Zone)), { reads: [Zone] });
yes<Is<NeedsOf<typeof zoned>, typeof Zone>>();
// @ts-expect-error a time that is no Date
claim.sleep("until due", (value) => value.due);
// @ts-expect-error a key that the step does not declare
claim.sleep("until due", (_, bus) => new Date(bus.get(Zone)));

// The payload, or what `take` answers.
const approved = claim.waitFor(Approved);
yes<Is<OutOf<typeof approved>, By>>();
const taken = claim.waitFor(Approved, {
  name: "decision",
  take: (value, payload, bus) =>
    payload.by === bus.get(Zone) ? fault({ code: "self" }) : { ...value, by: payload.by },
  reads: [Zone],
});
yes<Is<OutOf<typeof taken>, { by: string; readonly amount: number; readonly due: number }>>();
yes<Is<ErrorsOf<typeof taken>, { readonly code: "self" }>>();
yes<Is<NeedsOf<typeof taken>, typeof Zone>>();
const later = claim.waitFor(Rejected, { take: async (value, by) => value.amount + by });
yes<Is<OutOf<typeof later>, number>>();
// @ts-expect-error no kind of signal
claim.waitFor("approved");
// @ts-expect-error a payload of another type
claim.waitFor(Rejected, { take: (_, payload) => payload.by });
// @ts-expect-error `take` neither branches nor jumps
claim.waitFor(Rejected, { take: (_, payload) => branch("late", payload) });

// What comes in the place of a signal: a fault, or a branch with the value.
const failing = claim.waitFor(Approved, { timeoutMs: 1000, onTimeout: fault({ code: "late" }) });
yes<Is<ErrorsOf<typeof failing>, { readonly code: "late" }>>();
yes<Is<OutOf<typeof failing>, By>>();
const reminded = claim.waitFor(Approved, { timeoutMs: 1000, onTimeout: "remind" });
const remind = Axon.start<Claim>("remind").thenFn("to", (value) => value.amount);
const whole = reminded.branch("remind", remind);
yes<Is<OutOf<typeof whole>, By | number>>();
// @ts-expect-error the branch of the timeout has no Axon
void reminded.execute({ amount: 1, due: 2 });
// @ts-expect-error a branch that takes another value than the step has
claim.waitFor(Approved, { timeoutMs: 1, onTimeout: "remind" }).branch("remind", Axon.start<string>("x"));
// @ts-expect-error a branch that the step does not take
claim.waitFor(Approved, { timeoutMs: 1, onTimeout: "remind" }).branch("other", remind);

// One of several, told apart by the name.
const any = claim.waitForAny([Approved, Rejected]);
yes<
  Is<
    OutOf<typeof any>,
    | { readonly signal: "approved"; readonly payload: By }
    | { readonly signal: "rejected"; readonly payload: number }
  >
>();
const narrowed = claim.waitForAny([Approved, Rejected], {
  timeoutMs: 1000,
  onTimeout: fault("late"),
  take: (value, came) => (came.signal === "approved" ? came.payload.by : value.amount + came.payload),
});
yes<Is<OutOf<typeof narrowed>, string | number>>();
yes<Is<ErrorsOf<typeof narrowed>, "late">>();
claim.waitForAny([Approved, Rejected], {
  // @ts-expect-error what only one of them has
  take: (_, came) => came.payload.by,
});

// A run of another Axon.
const runs = new MemoryRuns();
const pay = Axon.start<{ readonly amount: number }>("pay")
  .thenFn("pay", (value): string | Fault<{ kind: "no money" }> =>
    value.amount > 9 ? fault({ kind: "no money" }) : "paid",
  )
  .withPersistenceStore(runs);
const paid = claim.startRun(pay).awaitRun(pay);
yes<Is<OutOf<typeof paid>, string>>();
yes<Is<ErrorsOf<typeof paid>, { kind: "no money" }>>();
yes<Is<NeedsOf<typeof paid>, never>>();
const both = claim
  .startRun(pay, { input: (value) => ({ amount: value.due }) })
  .thenFn("id", { uses: { id: childRun(pay) } }, (value, bus) => ({ ...value, id: bus.id.length }))
  .awaitRun(pay, { take: (value, output) => ({ ...value, output }) });
yes<Is<OutOf<typeof both>["output"], string>>();
yes<Is<OutOf<typeof both>["id"], number>>();
// @ts-expect-error the child takes something else, and no `input` makes it
Axon.start<string>("s").startRun(pay);
// @ts-expect-error an input that the child does not take
Axon.start<string>("s").startRun(pay, { input: (value) => value });
// @ts-expect-error no run was begun
void claim.awaitRun(pay).execute({ amount: 1, due: 2 });
yes<
  Is<
    Runnable<ReturnType<typeof unbegun>, never>,
    "a step awaits a run that no step before it has begun: add startRun(axon) in front of awaitRun(axon)"
  >
>();
const unbegun = () => claim.awaitRun(pay);

// On from the first step, with an input of this Axon; in a branch with that of the whole run.
const endless = claim.sleep("day", 86_400_000).continueAs((value) => ({ ...value, due: value.due + 1 }));
yes<Is<OutOf<typeof endless>, never>>();
// @ts-expect-error an input that the Axon does not take
claim.continueAs((value) => value.amount);
Axon.start<number>("again").continueAs<Claim>((amount) => ({ amount, due: 0 }));
// @ts-expect-error an input that the given type does not allow
Axon.start<number>("again").continueAs<Claim>((amount) => amount);
