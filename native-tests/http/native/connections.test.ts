import assert from "node:assert/strict";
import { describe, test } from "node:test";

import type { Report } from "framework";
import { Connections } from "#http/native/connections.js";

/** Connections as the engine would tell of them: one that is closed is told of at once. */
function engine(max: number) {
  const reports: Report[] = [];
  const connections = new Connections(max, (report) => reports.push(report));
  let closed = 0;
  const response = {
    close() {
      closed += 1;
      connections.changed(response as never, -1);
      return response as never;
    },
  };
  return {
    connections,
    reports,
    begin: () => connections.changed(response, 1),
    end: () => connections.changed(response, -1),
    closed: () => closed,
  };
}

describe("connections", () => {
  test("are closed as they come above the limit, and not below it", () => {
    const { connections, begin, end, closed } = engine(2);
    begin();
    begin();
    assert.deepEqual([closed(), connections.count], [0, 2]);
    begin();
    begin();
    assert.deepEqual([closed(), connections.count], [2, 2]);
    end();
    begin();
    assert.deepEqual([closed(), connections.count], [2, 2]);
    end();
    end();
    assert.equal(connections.count, 0);
  });

  test("that are closed are reported once for a crowd", () => {
    const { reports, begin } = engine(1);
    for (let i = 0; i < 100; i += 1) begin();

    assert.deepEqual(
      reports.map(({ code, message }) => [code, message]),
      [
        [
          "CONNECTIONS_FULL",
          "Connections closed as they came: 1. There are 1 already, which is maxConnections",
        ],
      ],
    );
  });
});
