import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { type TSchema, Type } from "@sinclair/typebox";
import { Axon, Framework } from "framework";
import { classify, Public, Sensitive } from "framework/compliance";
import { TestApp } from "framework/http";

const Email = Sensitive(Type.String(), { category: "email" });

describe("classify", () => {
  test("lists pointer, level and category of each marked field", () => {
    const schema = Type.Object({
      id: Type.String(),
      name: Sensitive(Type.String()),
      "a/b": Sensitive(Type.String(), { level: "restricted", category: "health" }),
      country: Public(Type.String()),
    });

    assert.deepEqual(classify(schema), [
      { pointer: "/name", level: "confidential" },
      { pointer: "/a~1b", level: "restricted", category: "health" },
      { pointer: "/country", level: "public" },
    ]);
    assert.deepEqual(classify(Type.Object({ id: Type.String() })), []);
  });

  test("has * for items, tuples and names that no schema lists", () => {
    const schema = Type.Object({
      emails: Type.Array(Email),
      pair: Type.Tuple([Type.String(), Email]),
      byName: Type.Record(Type.String(), Type.Object({ email: Email })),
    });

    assert.deepEqual(
      classify(schema).map(({ pointer }) => pointer),
      ["/emails/*", "/pair/*", "/byName/*/email"],
    );
  });

  test("gives a field inside a marked value at least the level of that value", () => {
    const person = Type.Object({ email: Email, born: Sensitive(Type.String(), { level: "restricted" }) });
    const schema = Type.Object({
      person: Sensitive(person, { level: "confidential" }),
      open: Public(person),
    });

    assert.deepEqual(classify(schema), [
      { pointer: "/person", level: "confidential" },
      { pointer: "/person/email", level: "confidential", category: "email" },
      { pointer: "/person/born", level: "restricted" },
      { pointer: "/open", level: "public" },
      { pointer: "/open/email", level: "confidential", category: "email" },
      { pointer: "/open/born", level: "restricted" },
    ]);
  });

  test("reads unions, intersections, references and recursive schemas", () => {
    const Contact = Type.Union([Email, Sensitive(Type.String(), { category: "phone" }), Type.Null()]);
    const schema = Type.Intersect([
      Type.Object({ contact: Contact }),
      Type.Object({ tree: Type.Recursive((This) => Type.Object({ of: Email, below: Type.Array(This) })) }),
      Type.Module({ Note: Type.Object({ text: Sensitive(Type.String()) }), Other: Email }).Import("Note"),
    ]);

    assert.deepEqual(classify(schema), [
      { pointer: "/contact", level: "confidential", category: "email" },
      { pointer: "/contact", level: "confidential", category: "phone" },
      { pointer: "/tree/of", level: "confidential", category: "email" },
      { pointer: "/text", level: "confidential" },
    ]);
  });

  test("ends on schemas whose references multiply, and counts what it did not read as restricted", () => {
    const names = Array.from({ length: 40 }, (_, at) => `N${at}`);
    const double = (at: number) =>
      at === 39
        ? Type.Object({ email: Email })
        : Type.Object({ left: Type.Ref(`N${at + 1}`), right: Type.Ref(`N${at + 1}`) });
    const schema = Type.Module(Object.fromEntries(names.map((name, at) => [name, double(at)]))).Import("N0");

    const listed = classify(schema);
    assert.ok(
      listed.length > 0 && listed.every(({ level }) => level === "restricted" || level === "confidential"),
    );
    assert.ok(listed.some(({ level }) => level === "restricted"));
  });
});

describe("marks that cannot be meant", () => {
  const mount = (input: TSchema) =>
    new TestApp(
      Framework.http().post(
        "/people",
        Axon.start("people", input).thenFn("keep", () => 1),
      ),
    );
  const refused = (input: TSchema, message: RegExp) =>
    assert.throws(() => mount(input), { code: "SCHEMA_INVALID", message });

  test("are refused when the route is mounted, with the place and the remedy", () => {
    const by = (mark: unknown) => Type.Object({ email: Type.String({ "x-sensitive": mark }) });

    refused(by({ level: "restrited" }), /'people'.*'\/properties\/email'.*did you mean restricted\?/);
    refused(
      by({ level: "secret" }),
      /no level "secret"; use one of public, internal, confidential, restricted/,
    );
    refused(by({ level: "public", kategory: "email" }), /'kategory' is no member of a mark/);
    refused(by({ level: "internal", category: 1 }), /a category is a text/);
    refused(by("public"), /"public" is no mark; use true or/);
    assert.doesNotThrow(() => mount(by({ level: "internal", category: "badge" })));
  });

  test("are two of one place", () => {
    const twice = (one: typeof Email, other: typeof Email) =>
      Type.Intersect([Type.Object({ email: one }), Type.Object({ email: other })]);
    const Restricted = Sensitive(Type.String(), { level: "restricted" });

    refused(
      twice(Email, Restricted),
      /'\/email' are marked confidential \(email\) and restricted; mark them once/,
    );
    refused(twice(Email, Public(Type.String())), /confidential \(email\) and public/);
    refused(Public(Type.Union([Email, Type.Null()])), /'' are marked public and confidential \(email\)/);
    refused(
      Type.Intersect([
        Type.Object({ email: Email }),
        Type.Union([Type.Object({ email: Restricted }), Type.Object({ id: Type.String() })]),
      ]),
      /'\/email' are marked/,
    );
    assert.doesNotThrow(() => mount(twice(Email, Sensitive(Type.String()))));
    assert.doesNotThrow(() =>
      mount(Type.Union([Type.Object({ at: Email }), Type.Object({ at: Public(Type.String()) })])),
    );
  });

  test("are those that no value reaches", () => {
    refused(Type.Object({ id: Type.Not(Email) }), /'\/properties\/id\/not': no value reaches this mark/);
    refused(Type.Object({}, { $defs: { Email } }), /'\/\$defs\/Email': no value reaches/);
    assert.doesNotThrow(() => mount(Type.Module({ Id: Type.String(), Email }).Import("Id")));
  });
});
