import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  Axon,
  busKey,
  ClientIp,
  header,
  jump,
  Public,
  Sensitive,
  Stores,
  signal,
  Type,
  transition,
  VerifiedIdentity,
} from "framework";
import { certaintyOf, declaredBy, levelOf, NOTHING } from "#compliance/classes/carried.js";
import { CarriedData } from "#compliance/classes/carried-data.js";
import { factOf } from "#compliance/classes/request-facts.js";

const Person = Type.Object({ email: Sensitive(Type.String(), { category: "email" }), age: Type.Integer() });
const Email = busKey<string>()("Email");
const Users = busKey<object>()("Users");

type Drawn = ConstructorParameters<typeof CarriedData>[0];

const nodesOf = ({ nodes }: Drawn): Drawn["nodes"] =>
  nodes.flatMap((node) => [node, ...(node.schematic === undefined ? [] : nodesOf(node.schematic))]);

/** "confidential inferred" of the value that each node returns, by its label. */
function results(axon: { readonly schematic: () => Drawn }): Readonly<Record<string, string>> {
  const schematic = axon.schematic();
  const data = new CarriedData(schematic, declaredBy(Person, "body"), new Map());
  return Object.fromEntries(
    nodesOf(schematic).map((node) => {
      const value = data.result(node);
      return [`${node.kind} ${node.label}`, `${levelOf(value) ?? "-"} ${certaintyOf(value)}`];
    }),
  );
}

describe("data that values may carry", () => {
  test("passes what only sleeps or begins a run, and enters by signals", () => {
    const named = signal<{ email: string; age: number }>()("named", Person);
    const child = Axon.start<object>("child").withPersistenceStore(Stores.mounted);
    const axon = Axon.start<object>("line")
      .sleep("night", 1)
      .startRun(child)
      .thenFn("forget", () => 1)
      .sleep("day", 1)
      .waitForAny([named], { name: "asked", take: (_, { payload }) => payload.age });

    const of = results(axon);

    assert.equal(of["Start start child"], of["Ingress line"]);
    assert.equal(of["Wait day"], of["Atom forget"]);
    assert.equal(of["Wait asked"], "confidential inferred");
  });

  test("follows the line, and ends where an output schema has no mark", () => {
    const axon = Axon.start("line", Person)
      .thenFn("first", (person) => person.age)
      .then(
        transition({
          name: "lower",
          output: Type.Object({ n: Type.Integer() }),
          run: (n: number) => ({ n }),
        }),
      )
      .thenFn("last", ({ n }) => n);

    assert.deepEqual(results(axon), {
      "Ingress line": "confidential declared",
      "Atom first": "confidential inferred",
      "Atom lower": "- declared",
      "Atom last": "- inferred",
      "Egress line": "- inferred",
    });
  });

  test("comes back by a key of the Bus, which has no schema", () => {
    const axon = Axon.start("bus", Person)
      .then(
        transition({
          name: "put",
          writes: [Email],
          run(person: { email: string }, bus) {
            bus.set(Email, person.email);
            return person;
          },
        }),
      )
      .then(transition({ name: "lower", output: Type.Integer(), run: () => 1 }))
      .thenFn("get", { reads: [Email] }, (_, bus) => bus.get(Email));

    const all = results(axon);
    assert.equal(all["Atom lower"], "- declared");
    assert.equal(all["Atom get"], "confidential inferred");
  });

  test("goes through subgraphs, and through each of parallel steps", () => {
    const inner = Axon.start<{ age: number }>("inner").thenFn("in", ({ age }) => age);
    const one = transition({ name: "one", run: ({ age }: { age: number }) => age });
    const two = transition({ name: "two", output: Type.Integer(), run: () => 2 });
    const both = results(
      Axon.start("both", Person).parallel([one, two], "AllMustSucceed", ([n, m]) => n + m),
    );
    const merged = results(
      Axon.start("merged", Person).parallel([two], "AllMustSucceed", (_, { email }) => email),
    );

    assert.equal(
      results(Axon.start("outer", Person).subgraph(inner))["Subgraph inner"],
      "confidential inferred",
    );
    assert.equal(both["Atom one"], "confidential inferred");
    assert.equal(both["Atom two"], "- declared");
    assert.equal(both["Egress both"], "confidential inferred");
    // The function that merges gets the input too.
    assert.equal(merged["Egress merged"], "confidential inferred");
  });

  test("goes back by a jump to a step before the one that read it", () => {
    const axon = Axon.start<number>("loop")
      .label("again")
      .thenFn("count", (n: number) => n)
      .then(
        transition({
          name: "read",
          reads: [ClientIp],
          jumps: ["again"],
          output: Type.Integer(),
          run: (n: number) => (n < 3 ? jump("again", n + 1) : n),
        }),
      );
    const { nodes } = axon.schematic();
    const data = new CarriedData(axon.schematic(), NOTHING, new Map());
    const count = nodes.find(({ label }) => label === "count") as (typeof nodes)[number];

    assert.deepEqual([...data.received(count).fields.keys()], ["ClientIp"]);
    assert.equal(levelOf(data.result(nodes.at(-1) as (typeof nodes)[number])), undefined);
  });

  test("is unknown where a step reads a key that no step writes", () => {
    const axon = Axon.start("users", Person).thenFn("read", { reads: [Users] }, (_, bus) => bus.get(Users));

    assert.equal(results(axon)["Egress users"], "confidential unknown");
  });

  test("is lowered by Public, and not by a property whose mark is missing", () => {
    const reach = declaredBy(Person, "body");
    const declared = (schema: Parameters<typeof declaredBy>[0]) => {
      const value = declaredBy(schema, "output", reach);
      return `${levelOf(value) ?? "-"} ${certaintyOf(value)}`;
    };

    assert.equal(declared(Type.Object({ email: Type.String() })), "confidential inferred");
    assert.equal(declared(Type.Array(Type.Object({ email: Type.String() }))), "confidential inferred");
    assert.equal(declared(Type.Object({ email: Public(Type.String()) })), "- declared");
    assert.equal(declared(Public(Type.Object({ email: Type.String() }))), "- declared");
    assert.equal(declared(Type.Object({ mail: Type.String() })), "- declared");
    assert.equal(declared(Person), "confidential declared");
  });
});

describe("keys of the framework", () => {
  test("have the category of what they are, and headers that of their names", () => {
    const categories = (...keys: readonly string[]) =>
      keys.map((key) => [...(factOf(key)?.fields.values() ?? [])].map(({ category }) => category).join());

    assert.deepEqual(
      categories(ClientIp.name, VerifiedIdentity.name, header("authorization").name, header("accept").name),
      ["ip_address", "identity", "credential", ""],
    );
    assert.equal(factOf("Users"), undefined);
  });
});
