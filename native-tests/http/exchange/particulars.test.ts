import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { lasting, noParticulars, Particulars } from "#http/exchange/particulars.js";
import type { Observation } from "#http/request/observation.js";

describe("what is left of a request whose answer lasts", () => {
  test("is nothing where nobody will be told of it, and all of it where somebody will be", () => {
    const unobserved = new Particulars();
    const observation = {} as Observation;
    const observed = Object.assign(new Particulars(), { observation });

    assert.equal(lasting(unobserved), noParticulars);
    assert.equal(lasting(noParticulars), noParticulars);
    assert.equal(lasting(observed), observed);
  });
});
