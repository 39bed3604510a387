import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Metrics } from "#telemetry/metrics/metrics.js";
import { answerRecord } from "../../support/answer-record.js";
import { watchedShop } from "../../support/watched-shop.js";

describe("metrics of requests", () => {
  test("are by method, pattern and class of status, and bounded whatever clients send", async () => {
    const { app, buy, doors, second, shown, metrics } = watchedShop({ kind: "off" });
    await buy("hat", "gold", "hat");
    doors.open = false;
    await buy("hat");
    doors.open = true;
    for (let at = 0; at < 5; at += 1) await app.get(`/nowhere/${at}`);
    second();

    const requests = (method: string, route: string, status: string) =>
      shown("framework_http_requests_total", { method, route, status });
    assert.deepEqual(
      [
        requests("POST", "/shop/:aisle", "2xx"),
        requests("POST", "/shop/:aisle", "4xx"),
        requests("POST", "/shop/:aisle", "5xx"),
        requests("GET", "unrouted", "4xx"),
        shown("framework_http_response_bytes_total", { method: "POST", route: "/shop/:aisle" }) !== undefined,
        shown("framework_http_request_duration_seconds_count", { method: "POST", route: "/shop/:aisle" }),
        shown("framework_http_requests_in_flight"),
      ],
      [2, 1, 1, 5, true, 4, 2],
    );
    assert.deepEqual(
      metrics.report().http.windows.map(({ count, faults, samples }) => [count, faults, samples]),
      [1, 10, 60].map(() => [9, 1, 9]),
    );
  });

  test("have one series for methods that are none, for answers to clients that have gone, and for routes above the bound", () => {
    const metrics = new Metrics({ maxSeries: 2 });
    const answer = (method: string, route: string | undefined, status: number, isAborted = false) =>
      metrics.count(answerRecord({ method, route, status, isAborted }));
    for (let at = 0; at < 1000; at += 1) answer(`M${at}`, undefined, 405);
    answer("GET", "/a", 200);
    answer("GET", "/a", 200, true);
    answer("GET", "/a", 0, true);
    answer("GET", "/a", 101);
    answer("GET", "/b", 302);
    answer("GET", "/c", 200);

    assert.deepEqual(metrics.report().http.by_route, [
      { method: "OTHER", route: null, status_class: "4xx", total: 1000 },
      { method: "GET", route: null, status_class: "2xx", total: 1 },
      { method: "GET", route: "/a", status_class: "1xx", total: 1 },
      { method: "GET", route: "/a", status_class: "2xx", total: 1 },
      { method: "GET", route: "/a", status_class: "aborted", total: 2 },
      { method: "GET", route: "/b", status_class: "3xx", total: 1 },
    ]);
  });
});
