import { typeCheckSuite } from "../measure/type-check.mjs";
import { typedRoutes } from "../subjects/typed-routes.mjs";

export default typeCheckSuite({
  name: "type-checking",
  title: "Type-checking 300 routes of nine steps",
  measures:
    "the compiler's whole run on one file that mounts 300 routes, each an Axon of nine steps with Bus keys, faults, a branch, an event and a promise, by the project's own strict options; against the same program with one route, which is what the compiler and the package's declarations cost alone.",
  leavesOut: "editors, incremental builds, emitting code, TypeScript before its native compiler.",
  arms: [
    { name: "1 route", ours: true, program: typedRoutes(1) },
    { name: "300 routes", ours: true, program: typedRoutes(300) },
  ],
  bars: [{ arm: "300 routes", of: "figure", atMost: 3 }],
});
