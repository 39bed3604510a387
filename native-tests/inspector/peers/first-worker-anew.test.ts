import assert from "node:assert/strict";
import { describe, test } from "node:test";

import { alertingWorkers, BEGAN, OVER } from "../../support/alerting-workers.js";

type Worker = ReturnType<ReturnType<typeof alertingWorkers>["first"]>;
const end = ({ hub, peers }: Worker): void => {
  hub.close();
  peers.close();
};

describe("a first worker that takes the place of another", () => {
  test("tells nothing again but what ended shortly before", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const [one, two] = [first(1), other(2)];
    two.stall("2-2", "c/there");
    two.stall("2-1");
    await pass();
    end(one);
    two.goOn("2-1");
    const again = first(3);
    await pass(6000);

    assert.deepEqual(again.told, [OVER]);
    end(again);
    const later = first(4);
    await pass(70_000);
    assert.deepEqual(later.told, [OVER]);
    end(later);
    const last = first(5);
    await pass(70_000);
    assert.deepEqual(last.told, []);
  });

  test("tells once of what began in another worker while there was none, as long as it is there", async () => {
    const { first, other, pass } = alertingWorkers(3);
    const [one, two, three] = [first(1), other(2), other(3)];
    await pass(6000);
    end(one);
    two.stall("2-1");
    await pass(30_000);
    three.stall("3-1");
    three.stall("3-2", "c/there");
    await pass(90_000);
    const again = first(4);
    await pass(70_000);

    const THERE = "stall:c/there active warning";
    assert.deepEqual([...again.told].sort(), [THERE, BEGAN].sort());
    two.goOn("2-1");
    await pass(6000);
    three.goOn("3-1");
    await pass(6000);
    assert.deepEqual(again.told.slice(2), [OVER]);
  });

  test("tells that what the other one alone had is over", async () => {
    const { first, other, pass } = alertingWorkers(2);
    other(2);
    const one = first(1);
    one.stall("1-1");
    await pass();
    end(one);
    const again = first(3);
    await pass(14_000);
    assert.deepEqual(again.told, []);
    await pass(7000);

    assert.deepEqual(again.told, [OVER]);
  });

  test("tells so through who began after it was told of, too", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const one = first(1);
    one.stall("1-1");
    await pass();
    other(2);
    await pass(6000);
    end(one);
    const again = first(3);
    await pass(21_000);

    assert.deepEqual(again.told, [OVER]);
  });

  test("tells nothing of what it finds itself soon, until it is over", async () => {
    const { first, other, pass } = alertingWorkers(2);
    other(2);
    const one = first(1);
    one.stall("1-1");
    await pass();
    end(one);
    const again = first(3);
    await pass(6000);
    again.stall("3-1");
    await pass(70_000);
    assert.deepEqual(again.told, []);
    again.goOn("3-1");

    assert.deepEqual(again.told, [OVER]);
  });

  test("takes nothing for over that a worker may have that has not answered it", async () => {
    const { first, other, pass } = alertingWorkers(3);
    const [two] = [other(2), other(3)];
    const one = first(1);
    two.stall("2-1");
    await pass();
    end(one);
    two.holdUp(true);
    const again = first(4);
    await pass(30_000);
    two.holdUp(false);
    await pass(6000);
    assert.deepEqual(again.told, []);
    two.goOn("2-1");
    await pass();

    assert.deepEqual(again.told, [OVER]);
  });

  test("learns what was told from who answers late", async () => {
    const { first, other, pass } = alertingWorkers(2);
    const two = other(2);
    const one = first(1);
    one.stall("1-1");
    await pass();
    end(one);
    two.holdUp(true);
    const again = first(3);
    await pass(4000);
    two.holdUp(false);
    await pass(30_000);

    assert.deepEqual(again.told, [OVER]);
  });

  test("tells of the end that only one that answers late knows", async () => {
    const { first, other, pass } = alertingWorkers(3);
    const [one, two] = [first(1), other(2)];
    other(3);
    two.stall("2-1");
    await pass();
    one.hub.close();
    one.peers.close();
    two.goOn("2-1");
    two.holdUp(true);
    const again = first(4);
    await pass(4000);
    assert.deepEqual(again.told, []);
    two.holdUp(false);
    await pass(6000);

    assert.deepEqual(again.told, [OVER]);
  });
});
