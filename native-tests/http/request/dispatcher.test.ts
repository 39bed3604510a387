import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { Axon, Framework } from "framework";
import { InFlight } from "#http/exchange/in-flight.js";
import { MemoryRequest } from "#http/exchange/memory/memory-request.js";
import { WalkedRequest } from "#http/native/walked-request.js";
import { servedIngress } from "#http/serving/served-ingress.js";
import { RecordedResponse } from "../../support/recorded-response.js";

const told: string[] = [];
const { plan } = Framework.http({ reporter: ({ code }) => told.push(code) })
  .get(
    "/",
    Axon.start("hello").thenFn("hello", () => "hello"),
  )
  .get(
    "/later",
    Axon.start("later").thenFn("later", async () => "later"),
  );
const request = (target: string) => new MemoryRequest(target, [["Host", "a"]]);

class BrokenRequest extends MemoryRequest {
  override getUrl(): string {
    throw new Error("a defect");
  }
}

/** A response whose every write throws. */
class BrokenResponse extends RecordedResponse {
  override writeStatus(): this {
    throw new Error("a defect");
  }
}

describe("a request that was answered", () => {
  test("leaves no header behind in what walked over it, also where the framework failed", (t) => {
    told.length = 0;
    const { mock: forgetting } = t.mock.method(WalkedRequest.prototype, "forget");
    const walking = { ...plan, requestIds: true };
    const { dispatcher } = servedIngress(walking, {}, new InFlight(walking));

    dispatcher.handle(new RecordedResponse(), request("/"), "GET");
    assert.equal(forgetting.callCount(), 1);
    dispatcher.handle(new BrokenResponse(), request("/"), "GET");
    assert.equal(forgetting.callCount(), 2);
  });
});

describe("what fails in the framework itself", () => {
  test("is answered 500 and reported, and nothing is thrown at the engine", () => {
    told.length = 0;
    const response = new RecordedResponse();
    servedIngress(plan, {}, new InFlight(plan)).dispatcher.handle(
      response,
      new BrokenRequest("/", [["Host", "a"]]),
      "GET",
    );

    assert.match(response.calls[0] ?? "", /^status 500/);
    assert.deepEqual(told, ["INGRESS_FAILED"]);
  });

  test("closes the connection where it cannot even be answered", async () => {
    told.length = 0;
    for (const target of ["/", "/later", "/nowhere"]) {
      const response = new BrokenResponse();
      servedIngress(plan, {}, new InFlight(plan)).dispatcher.handle(response, request(target), "GET");
      await new Promise((resolve) => setImmediate(resolve));

      assert.equal(response.calls.at(-1), "close", target);
    }
    assert.ok(told.every((code) => code === "INGRESS_FAILED" || code === "ANSWER_FAILED"));
  });
});
