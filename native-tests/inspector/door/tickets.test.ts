import assert from "node:assert/strict";
import { describe, test } from "node:test";

import fc from "fast-check";

import { TICKET_MS, Tickets } from "#inspector/door/tickets.js";

const ORIGIN = "http://localhost:3001";

/** On a clock that the test moves. */
function tickets(limit?: number) {
  const clock = { ms: 0 };
  return { clock, made: new Tickets({ clock: { now: () => clock.ms }, ...(limit && { limit }) }) };
}

describe("a ticket", () => {
  test("lets its maker's role in, once", () => {
    const { made } = tickets();
    const id = made.issue("viewer", ORIGIN) as string;

    assert.equal(made.redeem(id, ORIGIN), "viewer");
    assert.equal(made.redeem(id, ORIGIN), undefined);
  });

  test("is good until its time is up, and not then", () => {
    const { made, clock } = tickets();
    const [early, late] = [made.issue("operator", ORIGIN), made.issue("operator", ORIGIN)] as [
      string,
      string,
    ];

    clock.ms = TICKET_MS - 1;
    assert.equal(made.redeem(early, ORIGIN), "operator");
    clock.ms = TICKET_MS;
    assert.equal(made.redeem(late, ORIGIN), undefined);
  });

  test("is good for the origin that asked alone, and used up by another", () => {
    const { made } = tickets();
    const id = made.issue("operator", ORIGIN) as string;

    assert.equal(made.redeem(id, "http://evil.example"), undefined);
    assert.equal(made.redeem(id, ORIGIN), undefined);
    assert.equal(made.redeem(made.issue("operator", undefined) as string, ORIGIN), undefined);
  });

  test("is refused where as many are good as may be, until they end", () => {
    const { made, clock } = tickets(2);
    const first = made.issue("operator", ORIGIN) as string;
    made.issue("operator", ORIGIN);

    assert.equal(made.issue("operator", ORIGIN), undefined);
    assert.equal(made.redeem(first, ORIGIN), "operator");
    assert.ok(made.issue("operator", ORIGIN));
    clock.ms = TICKET_MS;
    assert.ok(made.issue("operator", ORIGIN));
    assert.equal(made.size, 1);
  });

  test("is an operator's to have when viewers have all that are theirs, which is half", () => {
    const { made } = tickets(4);
    const own = [made.issue("viewer", ORIGIN), made.issue("viewer", ORIGIN)] as string[];

    assert.equal(made.issue("viewer", ORIGIN), undefined);
    assert.ok(made.issue("operator", ORIGIN));
    assert.equal(made.redeem(own[0] ?? "", ORIGIN), "viewer");
    assert.ok(made.issue("viewer", ORIGIN));
    assert.ok(made.issue("operator", ORIGIN));
    assert.equal(made.issue("operator", ORIGIN), undefined, "all of them");
  });

  test("is never kept beyond the bound, and never good twice, whatever is done in which order", () => {
    const step = fc.oneof(
      fc.record({ do: fc.constant("issue" as const), origin: fc.constantFrom(ORIGIN, undefined) }),
      fc.record({
        do: fc.constant("redeem" as const),
        at: fc.nat(20),
        origin: fc.constantFrom(ORIGIN, undefined),
      }),
      fc.record({ do: fc.constant("wait" as const), ms: fc.nat(TICKET_MS) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const { made, clock } = tickets(4);
        const known: { id: string; origin: string | undefined; endsAt: number; used: boolean }[] = [];
        for (const each of steps) {
          if (each.do === "wait") clock.ms += each.ms;
          else if (each.do === "issue") {
            const good = known.filter(({ used, endsAt }) => !used && endsAt > clock.ms).length;
            const id = made.issue("operator", each.origin);
            assert.equal(id !== undefined, good < 4);
            if (id !== undefined)
              known.push({ id, origin: each.origin, endsAt: clock.ms + TICKET_MS, used: false });
          } else {
            const one = known[each.at];
            if (one === undefined) continue;
            const isGood = !one.used && one.endsAt > clock.ms && one.origin === each.origin;
            assert.equal(made.redeem(one.id, each.origin) !== undefined, isGood);
            one.used = true;
          }
          assert.ok(made.size <= 4);
        }
      }),
    );
  });
});
