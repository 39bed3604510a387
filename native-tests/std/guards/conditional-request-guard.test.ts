import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { Axon, busKey, header, isFault, RequestMethod } from "framework";
import type { IntoReply } from "framework/core";
import { AxonTestKit } from "framework/runtime";
import { ConditionalRequestGuard, type Validators } from "framework/std";

const NOW = Date.UTC(2026, 5, 15, 12);
const day = (n: number): Date => new Date(Date.UTC(2026, 0, n));
const date = (n: number): string => day(n).toUTCString();
type Fields = Readonly<Record<string, string>>;

/** The status of a request, 200 where it passes, and the headers that go with it. */
async function answer(
  method: string,
  fields: Fields,
  current: Validators | undefined | Promise<Validators | undefined>,
  required = false,
) {
  const guard = new ConditionalRequestGuard({ current: () => current, required, now: () => NOW });
  const axon = Axon.start<string>("conditional").then(guard);
  const kit = new AxonTestKit().set(RequestMethod, method);
  for (const [name, value] of Object.entries(fields)) kit.set(header(name), value);
  const run = await kit.run(axon, "input");
  const written = guard.responseHeaders.written.flatMap(({ key, name, textOf }) => {
    const value = run.bus.find(key);
    const text = value === undefined ? undefined : textOf(value as never);
    return text === undefined ? [] : [[name, text]];
  });
  if (!isFault(run.outcome)) {
    assert.equal(run.outcome, "input");
    return { status: 200, headers: Object.fromEntries(written) };
  }
  assert.deepEqual(written, []);
  const { status, headers } = (run.outcome.error as IntoReply).toReply();
  return {
    status,
    headers: Object.fromEntries(Object.entries(headers).map(([name, [value]]) => [name, value])),
  };
}

const status = async (...request: Parameters<typeof answer>): Promise<number> =>
  (await answer(...request)).status;

/** A field with entity tags as what it says; its text is made of that. */
type TagField = "*" | "malformed" | readonly { readonly isWeak: boolean; readonly opaque: string }[];
type DateField = "malformed" | number;
interface Given {
  readonly method: string;
  readonly ifMatch: TagField | undefined;
  readonly ifNoneMatch: TagField | undefined;
  readonly ifUnmodifiedSince: DateField | undefined;
  readonly ifModifiedSince: DateField | undefined;
  readonly current:
    | { readonly etag: { isWeak: boolean; opaque: string } | undefined; readonly changed: number | undefined }
    | undefined;
  readonly required: boolean;
}

/** RFC 9110, section 13.2.2, step by step, with what is ignored left out first. */
function expected({ method, current, required, ...given }: Given): number {
  const isRead = method === "GET" || method === "HEAD";
  if (method === "OPTIONS") return 200;
  // Section 13.2.1: what would be answered without the conditions is no success.
  if (isRead && current === undefined) return 200;
  const knowsDate = current?.changed !== undefined;
  const dateOf = (field: DateField | undefined) =>
    field === "malformed" || field === undefined || !knowsDate ? undefined : field;
  const ifUnmodifiedSince = given.ifMatch === undefined ? dateOf(given.ifUnmodifiedSince) : undefined;
  const ifModifiedSince =
    given.ifNoneMatch === undefined && isRead ? dateOf(given.ifModifiedSince) : undefined;
  const changed = current?.changed as number;
  const etag = current?.etag;

  if (given.ifMatch === "malformed") return 400;
  if (given.ifMatch === "*" && current === undefined) return 412;
  if (Array.isArray(given.ifMatch)) {
    const strong = given.ifMatch.filter((tag) => !tag.isWeak && etag?.isWeak === false);
    if (!strong.some((tag) => tag.opaque === etag?.opaque)) return 412;
  }
  if (ifUnmodifiedSince !== undefined && changed > ifUnmodifiedSince) return 412;
  if (given.ifNoneMatch === "malformed" && !isRead) return 400;
  const isThere =
    given.ifNoneMatch === "*"
      ? current !== undefined
      : Array.isArray(given.ifNoneMatch) && given.ifNoneMatch.some((tag) => tag.opaque === etag?.opaque);
  if (isThere) return isRead ? 304 : 412;
  if (ifModifiedSince !== undefined && changed <= ifModifiedSince) return 304;
  const conditions = [given.ifMatch, ifUnmodifiedSince, given.ifNoneMatch];
  return required && !isRead && conditions.every((each) => each === undefined) ? 428 : 200;
}

function fieldsOf(given: Given): Fields {
  const tags = (field: TagField): string => {
    if (field === "*") return "*";
    if (field === "malformed") return "v1";
    return field.map(({ isWeak, opaque }) => `${isWeak ? "W/" : ""}"${opaque}"`).join(", ");
  };
  const since = (field: DateField): string => (field === "malformed" ? "yesterday" : date(field));
  const fields: Record<string, string> = {};
  if (given.ifMatch !== undefined) fields["if-match"] = tags(given.ifMatch);
  if (given.ifNoneMatch !== undefined) fields["if-none-match"] = tags(given.ifNoneMatch);
  if (given.ifUnmodifiedSince !== undefined) fields["if-unmodified-since"] = since(given.ifUnmodifiedSince);
  if (given.ifModifiedSince !== undefined) fields["if-modified-since"] = since(given.ifModifiedSince);
  return fields;
}

const opt = <T>(values: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(values, { nil: undefined });
const tag = fc.record({ isWeak: fc.boolean(), opaque: fc.constantFrom("", "v1", "v2") });
const tagField: fc.Arbitrary<TagField> = fc.oneof(
  fc.constantFrom("*" as const, "malformed" as const),
  fc.array(tag, { maxLength: 3 }),
);
const someDay = fc.integer({ min: 1, max: 3 });
const given: fc.Arbitrary<Given> = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"),
  ifMatch: opt(tagField),
  ifNoneMatch: opt(tagField),
  ifUnmodifiedSince: opt(fc.oneof(fc.constant("malformed" as const), someDay)),
  ifModifiedSince: opt(fc.oneof(fc.constant("malformed" as const), someDay)),
  current: opt(fc.record({ etag: opt(tag), changed: opt(someDay) })),
  required: fc.boolean(),
});

describe("ConditionalRequestGuard", () => {
  test("decides as RFC 9110 says, whatever conditions meet", async () => {
    const seen = new Set<number>();
    await fc.assert(
      fc.asyncProperty(given, async (request) => {
        const { method, current, required } = request;
        const etag = current?.etag && `${current.etag.isWeak ? "W/" : ""}"${current.etag.opaque}"`;
        const validators = current && { etag, lastModified: current.changed && day(current.changed) };
        const want = expected(request);
        seen.add(want);
        assert.equal(
          await status(method, fieldsOf(request), validators as Validators | undefined, required),
          want,
        );
      }),
      { numRuns: 1000 },
    );
    assert.deepEqual([...seen].sort(), [200, 304, 400, 412, 428]);
  });

  test("leaves a read of what is not there to whoever answers that", async () => {
    for (const value of ["*", '"v1"', "v1"]) {
      assert.equal(await status("GET", { "if-match": value }, undefined), 200);
      assert.equal(await status("HEAD", { "if-match": value, "if-none-match": value }, undefined), 200);
    }
    assert.equal(await status("PUT", { "if-match": "*" }, undefined), 412);
    assert.equal(await status("PUT", { "if-none-match": "*" }, undefined), 200);
  });

  test("gives what is read its etag and date, and a change neither", async () => {
    const current = { etag: '"v1"', lastModified: new Date(day(2).getTime() + 999) };
    const headers = { etag: '"v1"', "last-modified": date(2) };

    assert.deepEqual(await answer("GET", {}, current), { status: 200, headers });
    assert.deepEqual(await answer("HEAD", { "if-none-match": '"v2"' }, current), { status: 200, headers });
    assert.deepEqual(await answer("PUT", { "if-match": '"v1"' }, current), { status: 200, headers: {} });
    assert.deepEqual(await answer("GET", {}, undefined), { status: 200, headers: {} });
  });

  test("says in a 304 by what the client can keep it, with one header alone", async () => {
    const fields = { "if-none-match": 'W/"v1"' };
    const since = { "if-modified-since": date(2) };

    assert.deepEqual(await answer("GET", fields, { etag: '"v1"', lastModified: day(2) }), {
      status: 304,
      headers: { etag: '"v1"' },
    });
    assert.deepEqual(await answer("GET", since, { lastModified: day(2) }), {
      status: 304,
      headers: { "last-modified": date(2) },
    });
    assert.deepEqual(await answer("GET", { "if-none-match": "*" }, {}), { status: 304, headers: {} });
  });

  test("compares dates in whole seconds", async () => {
    const current = { lastModified: new Date(day(2).getTime() + 999) };

    assert.equal(await status("PUT", { "if-unmodified-since": date(2) }, current), 200);
    assert.equal(await status("GET", { "if-modified-since": date(2) }, current), 304);
  });

  test("sends no date that is still to come", async () => {
    const { headers } = await answer("GET", {}, { lastModified: new Date(NOW + 3_600_000) });

    assert.deepEqual(headers, { "last-modified": new Date(NOW).toUTCString() });
  });

  test("waits for what is looked up, and asks for nothing that it does not need", async () => {
    let asked = 0;
    const current = (): Promise<Validators> => {
      asked += 1;
      return Promise.resolve({ etag: '"v1"' });
    };
    const Store = busKey<{ readonly etag: string }>()("Store");
    const guard = new ConditionalRequestGuard({ current, reads: [Store] });
    const axon = Axon.start<string>("conditional").then(guard);
    const ask = async (method: string, fields: Fields) => {
      const kit = new AxonTestKit().set(RequestMethod, method).set(Store, { etag: '"v1"' });
      for (const [name, value] of Object.entries(fields)) kit.set(header(name), value);
      return isFault((await kit.run(axon, "input")).outcome);
    };

    assert.equal(await ask("PUT", { "if-match": '"v2"' }), true);
    assert.equal(await ask("PUT", { "if-match": '"v1"' }), false);
    assert.equal(await ask("GET", { "if-none-match": '"v1"' }), true);
    assert.equal(asked, 3);
    assert.equal(await ask("PUT", {}), false);
    assert.equal(await ask("OPTIONS", { "if-match": '"v2"' }), false);
    assert.equal(asked, 3);
  });

  test("reads from the Bus what it declares for that", async () => {
    const Store = busKey<{ readonly etag: string }>()("Store");
    const guard = new ConditionalRequestGuard({ current: (bus) => bus.get(Store), reads: [Store] });
    const axon = Axon.start<string>("conditional").then(guard);
    const kit = new AxonTestKit().set(RequestMethod, "GET").set(Store, { etag: '"v9"' });
    kit.set(header("if-none-match"), '"v9"');

    assert.ok(isFault((await kit.run(axon, "input")).outcome));
  });

  test("fails loudly where the program names no entity tag and no date", async () => {
    const panic = async (current: unknown) => {
      const axon = Axon.start<string>("c").then(
        new ConditionalRequestGuard({ current: () => current as never }),
      );
      const { outcome } = await new AxonTestKit().set(RequestMethod, "GET").run(axon, "input");
      assert.ok(isFault(outcome));
      const { code, cause } = outcome.error as { readonly code: string; readonly cause: Error };
      assert.equal(code, "TRANSITION_PANIC");
      return cause.message;
    };

    for (const etag of ["v1", "", '"v1"\r\nx: y', '"\u00e9"', '"a"b'])
      assert.match(await panic({ etag }), /etag/);
    for (const lastModified of ["now", 5, new Date(Number.NaN)])
      assert.match(await panic({ lastModified }), /lastModified/);
    for (const current of [null, "v1", 7])
      assert.match(await panic(current), new RegExp(`current\\(\\) answered ${current}: .*or undefined`));
  });

  test("is refused without a function that tells what there is", () => {
    for (const options of [undefined, {}, { current: "v1" }, { current: () => undefined, require: true }])
      assert.throws(() => new ConditionalRequestGuard(options as never), {
        code: "CONFIG_INVALID",
        message: /^ConditionalRequestGuard: /,
      });
  });

  test("is drawn as a guard that may need a condition", () => {
    const nodeOf = (required: boolean) =>
      Axon.start<string>("c")
        .then(new ConditionalRequestGuard({ current: () => undefined, required }))
        .schematic().nodes[1];

    assert.equal(nodeOf(true)?.kind, "Guard");
    assert.equal(nodeOf(true)?.description, "Changes need a condition");
    assert.equal(nodeOf(false)?.description, "Conditions are optional");
  });
});
