// An application whose record of processing the tests read: each place that can have marked data.

import {
  Axon,
  branch,
  busKey,
  eventKind,
  Framework,
  IamPolicy,
  type IamVerifier,
  Log,
  MemoryDeadLetters,
  openStores,
  Public,
  Sensitive,
  type Static,
  Stores,
  synapse,
  Type,
  transition,
} from "framework";
import { AuditLog, MemoryAuditSink } from "framework/audit";
import { AccessLogGuard, AuthGuard, CreateSession, IdempotencyGuard, Sessions } from "framework/std";

const Email = Sensitive(Type.String(), { category: "email" });
const Illness = Sensitive(Type.String(), { level: "restricted", category: "health" });
const Patient = Type.Object({ email: Email, illness: Illness, ward: Type.String() });
type Patient = Static<typeof Patient>;

const Ward = Type.Object({ ward: Type.String() });

const Users = busKey<ReadonlyMap<string, object>>()("Users");
const Found = busKey<Patient>()("Found");
const Told = eventKind<Patient>()("told");
const log = new MemoryAuditSink();
const verifier: IamVerifier = {
  description: "anyone",
  verify: () => ({ subject: "a", roles: [], claims: {} }),
};

const keep = transition({
  name: "keep",
  writes: [Found],
  run(patient: Patient, bus) {
    bus.set(Found, patient);
    return patient.ward;
  },
});

/** Everything without a schema: each value may have what its step could read. */
const register = Axon.start("register", Patient)
  .then(keep)
  .then(
    new AuditLog({ action: "patient.register", actor: "nurse", target: (ward: string) => ward, sink: log }),
  )
  .then(synapse({ name: "mailer", call: (ward: string) => ward.length }))
  .thenFn("count", { emits: [Told] }, (beds: number) => beds)
  .withPersistenceStore(Stores.mounted)
  .withDlqSink(new MemoryDeadLetters());

/** A schema lowers the value of the line; the branch reads it from the Bus. */
const inform = Axon.start("inform", Patient)
  .then(keep)
  .then(transition({ name: "lower", output: Ward, run: (ward: string) => ({ ward }) }))
  .thenFn("write", { reads: [Log] }, (given: { ward: string }) => given)
  .then(
    transition({
      name: "tell",
      branches: ["twice"],
      output: Type.Object({ email: Public(Type.String()), ward: Type.String() }),
      run: ({ ward }: { ward: string }) => (ward === "" ? branch("twice", ward) : { email: "", ward }),
    }),
  )
  .branch(
    "twice",
    Axon.start<string>("twice")
      .thenFn("again", { reads: [Found] }, (ward, bus) => ({ ...bus.get(Found), ward }))
      .withOutputSchema(Patient),
  );

/** Its output schema has a name of its input without the mark. */
const forget = Axon.start("forget", Type.Object({ email: Email })).then(
  transition({
    name: "leave out",
    output: Type.Object({ email: Type.String(), done: Type.Boolean() }),
    run: ({ email }: { email: string }) => ({ email, done: true }),
  }),
);

const list = Axon.start("list").thenFn("read", { reads: [Users] }, (_, bus) => [...bus.get(Users).values()]);

const login = Axon.start("login", Type.Object({ email: Email })).then(
  new CreateSession<{ email: string }>(new Sessions(), {
    identityOf: ({ email }) => ({ subject: email, roles: [], claims: {} }),
  }),
);

const mine = Axon.start("mine", Type.Object({ email: Email }))
  .withIam(IamPolicy.requireIdentity(), verifier)
  .thenFn("mine", ({ email }) => email)
  .withSubject(({ email }) => email)
  .withPersistenceStore(Stores.mounted);

export const nightly = Axon.start("nightly", Patient).thenFn("sum", ({ illness }) => illness.length);

export const ingress = Framework.http({ resources: [Users] })
  .stores(openStores("memory:", { retainDays: 7 }))
  .post("/patients", register, { summary: "Registers a patient" })
  .post("/informed", inform, { guards: [new IdempotencyGuard({ ttlMs: 7_200_000 })] })
  .get("/patients/:email", forget)
  .get("/users", list)
  .post("/login", login)
  .post("/mine", mine, {
    guards: [new AuthGuard(IamPolicy.requireIdentity(), verifier), new AccessLogGuard()],
  });
