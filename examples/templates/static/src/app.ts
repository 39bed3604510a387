// A page, and the API that it asks. The page is the folder public/.

import { fileURLToPath } from "node:url";

import { Axon, busKey, Framework, Type } from "framework";
import { SecurityHeadersGuard } from "framework/std";

/** A random number from 0 to 1. The tests give their own. */
const Chance = busKey<() => number>()("Chance");

const SIDES = 6;

const Throw = Type.Object({ dice: Type.Integer({ minimum: 1, maximum: 10, default: 2 }) });
const Thrown = Type.Object({ dice: Type.Array(Type.Integer()), sum: Type.Integer() });

/** An Axon with an input schema takes the query of a GET. */
const throwDice = Axon.start("throw-dice", Throw)
  .thenFn("throw", { uses: { chance: Chance } }, ({ dice }, bus) =>
    Array.from({ length: dice }, () => 1 + Math.floor(SIDES * bus.chance())),
  )
  .thenFn("add", (dice) => ({ dice, sum: dice.reduce((sum, points) => sum + points, 0) }))
  .withOutputSchema(Thrown);

export const ingress = () =>
  Framework.http({ resources: [Chance] })
    .readinessLivenessDefault()
    .guard(new SecurityHeadersGuard())
    .get("/api/throw", throwDice)
    .serveDir("/", fileURLToPath(new URL("../public", import.meta.url)));
