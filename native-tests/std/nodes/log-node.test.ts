import assert from "node:assert/strict";
import { describe, mock, test } from "node:test";

import fc from "fast-check";

import { Axon, type Report, RequestId } from "framework";
import { AxonTestKit } from "framework/runtime";
import { LogNode, type LogOptions, type LogRecord } from "framework/std";
import { logLine } from "#std/nodes/log-node.js";
import { anyText } from "../../support/any-text.js";

interface Order {
  readonly id: string;
  readonly card: string;
}
const order: Order = { id: "o1", card: "4111 1111" };

/** What a LogNode wrote and reported for one order. */
async function logged(options: LogOptions<Order> = {}, kit = new AxonTestKit()) {
  const records: LogRecord[] = [];
  const reports: Report[] = [];
  const node = new LogNode<Order>("order seen", {
    write: (record) => records.push(record),
    report: (report) => reports.push(report),
    now: () => 1_700_000_000_000,
    ...options,
  });
  const { outcome } = await kit.run(Axon.start<Order>("log").then(node), order);
  return { records, reports, outcome };
}

describe("LogNode", () => {
  test("writes a record and lets its input pass", async () => {
    const { records, outcome } = await logged({ level: "warn" });

    assert.equal(outcome, order);
    assert.deepEqual(records, [
      {
        time: 1_700_000_000_000,
        level: "warn",
        message: "order seen",
        requestId: undefined,
        value: undefined,
      },
    ]);
  });

  test("logs of its input what is selected, and nothing else", async () => {
    assert.equal(JSON.stringify((await logged()).records).includes("4111"), false);
    assert.equal((await logged({ select: ({ id }) => id })).records[0]?.value, "o1");
  });

  test("names the request that it serves", async () => {
    const { records } = await logged({}, new AxonTestKit().set(RequestId, "r-1"));

    assert.equal(records[0]?.requestId, "r-1");
  });

  test("changes nothing for the run where selecting or writing fails, and says so", async () => {
    const failure = new Error("disk full");
    const fail = () => {
      throw failure;
    };

    for (const options of [{ write: fail }, { select: fail }]) {
      const { outcome, reports } = await logged(options);
      assert.equal(outcome, order);
      assert.deepEqual(
        reports.map(({ code, error }) => [code, error]),
        [["LOG_FAILED", failure]],
      );
    }
  });

  test("writes a line of JSON on stderr where nobody says otherwise", () => {
    const write = mock.method(process.stderr, "write", () => true);
    Axon.start("a")
      .then(new LogNode("first\nsecond", { select: () => ({ n: 1 }) }))
      .execute();
    write.mock.restore();

    const [line = "", ...others] = write.mock.calls.map(({ arguments: [text] }) => String(text));
    assert.deepEqual(others, []);
    const { time, ...record } = JSON.parse(line) as { time: number };
    assert.ok(Math.abs(Date.now() - time) < 60_000);
    assert.deepEqual(record, { level: "info", message: "first\nsecond", value: { n: 1 } });
  });

  test("refuses a level that there is not", () => {
    assert.throws(() => new LogNode("x", { level: "loud" as "info" }), {
      code: "CONFIG_INVALID",
      message: /level: "loud".*use one of trace, debug, info/,
    });
  });
});

describe("a line of the log", () => {
  const record = { time: 0, level: "info", message: "m", requestId: undefined } as const;

  test("is one line whatever is logged, and reads back as it was", () => {
    fc.assert(
      fc.property(anyText(), (value) => {
        const line = logLine({ ...record, value });

        assert.equal(line.indexOf("\n"), line.length - 1);
        assert.equal((JSON.parse(line) as { value: string }).value, value);
      }),
    );
  });

  test("holds nothing that a terminal acts on", () => {
    const value = "\u001b[2J \u009b2J \u007f \r\n \u2028 \u2029 \u202e \u2066";
    const line = logLine({ ...record, value });

    assert.match(line, /^[\x20-\x7e]+\n$/);
    assert.equal((JSON.parse(line) as { value: string }).value, value);
  });
});
