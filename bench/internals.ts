// What the package does not export and a suite measures nevertheless. prepare.mjs
// bundles it to .build/internals.js, as the build bundles the package.

export { startPostgres } from "../native-tests/support/postgres-server.js";
export { startRedis } from "../native-tests/support/redis-server.js";
export { Axon, fault } from "../src/index.js";
export { Program } from "../src/runtime/compile/program.js";
export { compileSchema } from "../src/schema/compile/validator.js";
export { Metrics } from "../src/telemetry/metrics/metrics.js";
