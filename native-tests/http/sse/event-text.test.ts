import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { FrameworkError } from "#core/errors.js";
import { commentText, eventText, positionText } from "#http/sse/event-text.js";
import { EventReader } from "#http/testing/test-events.js";
import { anyText } from "../../support/any-text.js";

/** Texts that are full of what ends lines and begins fields. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "\r",
        "\n",
        "\r\n",
        "\0",
        ":",
        " ",
        "data:",
        "event: x",
        "id: 1",
        "retry: 5",
        "\ufeff",
        "",
      ),
      anyText({ maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(""));

const lines = (text: string): string => text.replace(/\r\n|\r/g, "\n");

const isRefused = (error: unknown): boolean =>
  error instanceof FrameworkError && error.code === "EVENT_INVALID";

describe("an event as text", () => {
  test("is read back as one event with what it was written of, whatever its data hold", () => {
    const name = hostile.filter((text) => !/[\r\n]/.test(text));
    const id = fc.string({ maxLength: 256 }).map((text) => text.trim());
    fc.assert(
      fc.property(
        name,
        fc.option(id, { nil: undefined }),
        fc.option(fc.nat(), { nil: undefined }),
        hostile,
        (event, id, retryMs, data) => {
          const text = eventText(
            { event, ...(id !== undefined && { id }), ...(retryMs !== undefined && { retryMs }) },
            data,
          );

          const reader = new EventReader().read(`:\n${text}`);
          assert.deepEqual(reader.events, [{ event: event || "message", data: lines(data), id: id ?? "" }]);
          assert.equal(reader.retryMs, retryMs);
        },
      ),
    );
  });

  test("is refused where its name or its id would end its line, and never written", () => {
    fc.assert(
      fc.property(hostile, fc.constantFrom("\r", "\n", "\r\n"), hostile, (before, lineBreak, after) => {
        const text = before + lineBreak + after;
        assert.throws(() => eventText({ event: text }, "x"), isRefused);
        assert.throws(() => eventText({ id: text }, "x"), isRefused);
        assert.throws(() => positionText({ id: text }), isRefused);
        assert.throws(() => commentText(text), isRefused);
      }),
    );
  });

  test("is refused with an id that a client could not send back as it is", () => {
    for (const id of ["a\0b", " a", "a ", " ", "\u00e9", "a\tb", "x".repeat(257)])
      assert.throws(() => eventText({ id }, "x"), isRefused, JSON.stringify(id));
  });

  test("is refused with a wait that is no whole number, which readers would ignore", () => {
    for (const retryMs of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, "5\ndata: x" as unknown as number])
      assert.throws(() => eventText({ retryMs }, "x"), isRefused);
  });

  test("is refused with a name or an id of another type", () => {
    assert.throws(() => eventText({ id: 5 as unknown as string }, "x"), isRefused);
    assert.throws(() => eventText({ event: {} as unknown as string }, "x"), isRefused);
  });

  test("does not quote in its refusal what a stranger may have written", () => {
    assert.throws(
      () => eventText({ id: "secret\n" }, "x"),
      (error: Error) => !error.message.includes("secret"),
    );
  });

  test("stands by itself behind any other, whichever way the stream is cut into pieces", () => {
    fc.assert(
      fc.property(
        fc.array(hostile, { maxLength: 5 }),
        fc.infiniteStream(fc.integer({ min: 1, max: 5 })),
        (all, cuts) => {
          const text = all.map((data, i) => eventText({ id: String(i) }, data)).join(commentText("alive"));
          const reader = new EventReader();
          for (let at = 0; at < text.length; ) {
            const length = cuts.next().value as number;
            reader.read(text.slice(at, at + length));
            at += length;
          }

          // The first thing in a stream loses a byte order mark, so none begins one here.
          assert.deepEqual(
            reader.events.map(({ data, id }) => [id, data]),
            all.map((data, i) => [String(i), lines(data)]),
          );
        },
      ),
    );
  });

  test("without data is no event, but tells where the client is and how long to wait", () => {
    const reader = new EventReader().read(positionText({ id: "a-7", retryMs: 2000 }));

    assert.deepEqual([reader.events, reader.lastId, reader.retryMs], [[], "a-7", 2000]);
  });
});
