// What holds of the differences of any two Axons.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";

import { MemoryDeadLetters } from "framework/runtime";
import type { Direction } from "#drift/change.js";
import { comparedPrograms } from "#drift/compared-programs.js";
import { schemaChanges } from "#drift/compared-schema.js";
import { exportText, type ProgramExport, readProgram } from "#drift/program-export.js";
import { ManualClock } from "#runtime/run/manual-clock.js";
import { programFrom } from "../../src/cli/application/program-export.js";
import { anySchema } from "../support/any-schema.js";
import { buildAxon } from "../support/random-axon.js";
import { axonPlan } from "../support/random-plan.js";

const program: fc.Arbitrary<ProgramExport> = axonPlan.map((plan) => {
  const around = { effects: [], abort: () => {}, clock: new ManualClock(), letters: new MemoryDeadLetters() };
  const axon = buildAxon(plan, around);
  return readProgram(exportText(programFrom([], [axon.schematic()])), "x.json");
});

const MIRROR: Readonly<Record<Direction, Direction>> = {
  added: "removed",
  removed: "added",
  changed: "changed",
  narrowed: "widened",
  widened: "narrowed",
  weakened: "strengthened",
  strengthened: "weakened",
};

describe("differences of any two Axons", () => {
  test("are none exactly where their exports are equal", () => {
    fc.assert(
      fc.property(program, program, (base, head) => {
        assert.deepEqual(comparedPrograms(base, base), []);
        const isSame = exportText(base) === exportText(head);
        assert.equal(comparedPrograms(base, head).length === 0, isSame);
      }),
    );
  });

  test("are the other way round what is mirrored", () => {
    fc.assert(
      fc.property(program, program, (base, head) => {
        const there = comparedPrograms(base, head).map(({ area, direction, node }) => [
          area,
          direction,
          node,
        ]);
        const back = comparedPrograms(head, base).map(({ area, direction, node }) => [
          area,
          MIRROR[direction],
          node,
        ]);
        // A new step has what it adds told beside it; one that is gone does not.
        const plain = (list: typeof there) =>
          list
            .filter(([area]) => area !== "bus" && area !== "retry")
            .map(String)
            .sort();

        assert.deepEqual(plain(back), plain(there));
      }),
    );
  });

  test("of schemas are narrower one way where they are wider the other way", () => {
    fc.assert(
      fc.property(anySchema, anySchema, fc.constantFrom("input", "output"), (one, other, role) => {
        const [a, b] = JSON.parse(JSON.stringify([one, other]));
        const there = schemaChanges(a, b, role).map(({ direction }) => direction);
        const back = schemaChanges(b, a, role).map(({ direction }) => MIRROR[direction]);

        assert.deepEqual([...back].sort(), [...there].sort());
      }),
    );
  });
});
