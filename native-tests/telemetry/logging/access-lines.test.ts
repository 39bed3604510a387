import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";

import fc from "fast-check";
import { isSensitiveName } from "#core/secrets/sensitive-names.js";
import { withoutCredentials } from "#core/wire/credential-text.js";
import { jsonText } from "#core/wire/json-text.js";
import { jsonLines } from "#telemetry/logging/line-format.js";
import { hostileText } from "../../support/hostile-text.js";
import { keptLogger } from "../../support/logged-lines.js";

/**
 * Names as a line may have them: objects keep no order of numbers, and pino binds some itself. None
 * that say a secret, and no text that has one: what the access log is given has been through that.
 */
const name = () =>
  hostileText().filter(
    (text) =>
      text.length <= 200 &&
      !/^(\d+|level|time|msg|module|err|__proto__)$/.test(text) &&
      !isSensitiveName(text),
  );
const value = () => hostileText().filter((text) => withoutCredentials(text) === text);

const fields = () =>
  fc.uniqueArray(fc.tuple(name(), fc.oneof(value(), fc.double(), fc.boolean())), {
    selector: ([key]) => key,
    maxLength: 8,
  });

const membersOf = (given: readonly (readonly [string, string | number | boolean])[]) =>
  given
    .map(([key, value]) => {
      const plain = typeof value === "number" && !Number.isFinite(value) ? String(value) : value;
      return `,${jsonText(key)}:${typeof plain === "string" ? jsonText(plain) : plain}`;
    })
    .join("");

describe("a line of the access log", () => {
  for (const format of ["json", "compact", "pretty"] as const) {
    test(`in ${format} is what the logger of its module writes, to the byte`, () => {
      mock.timers.enable({ apis: ["Date"], now: 1_767_225_600_000 });
      try {
        fc.assert(
          fc.property(fields(), hostileText(), (given, message) => {
            const logged = keptLogger({ format });
            const taken = keptLogger({ format });

            logged.log.module("http.access").info(Object.fromEntries(given), message);
            taken.log.access.write(membersOf(given), message);

            assert.equal(taken.text(), logged.text());
            assert.doesNotMatch(taken.text().slice(0, -1), /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
          }),
          { numRuns: format === "pretty" ? 50 : 300 },
        );
      } finally {
        mock.timers.reset();
      }
    });
  }

  test("is written where the level of its module lets it", () => {
    const isWritten = (level: string, moduleLevels: Record<string, string>) => {
      const { log, text } = keptLogger({ level, moduleLevels });
      log.access.write(',"a":1', "answered");
      assert.equal(log.access.isEnabled, text() !== "");
      return log.access.isEnabled;
    };

    assert.deepEqual(
      [isWritten("info", {}), isWritten("warn", {}), isWritten("silent", {})],
      [true, false, false],
    );
    assert.deepEqual(
      [isWritten("info", { http: "error" }), isWritten("warn", { http: "debug" })],
      [false, true],
    );
    assert.equal(isWritten("info", { http: "info", "http.access": "warn" }), false);
    assert.equal(isWritten("fatal", { "http.access": "info" }), true);
  });

  test("is what it is alone, whatever is gathered with it", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fields(), hostileText()), { maxLength: 6 }), (all) => {
        const told = ["\n", "\r", "\u007f"].map((blank) => `,${blank}"broken":1`);
        const lines = [...all.map(([given, message]) => membersOf(given) + jsonText(message)), ...told];
        const raw = lines.map((members) => `{"a":1${members}}\n`);

        assert.equal(jsonLines(raw), raw.map((line) => jsonLines([line])).join(""));
        assert.equal(jsonLines(raw).split("\n").length, raw.length + 1);
      }),
    );
  });

  test("is one line, whatever blanks stand between its members", () => {
    const { log, text } = keptLogger();
    log.access.write(',\r\n"a":\t1', "answered");

    assert.equal(text().match(/[\r\n]/g)?.length, 1);
  });
});
