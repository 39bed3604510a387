// Every suite, in the order in which they run and are shown.

import { auditOnPostgres, auditOnSqlite } from "./suites/audit.mjs";
import bus from "./suites/bus.mjs";
import { clients, runsInFlight } from "./suites/crowd.mjs";
import executorLarge from "./suites/executor-large.mjs";
import executorPromise from "./suites/executor-promise.mjs";
import executorSmall from "./suites/executor-small.mjs";
import guardedOrder from "./suites/guarded-order.mjs";
import identity from "./suites/identity.mjs";
import json from "./suites/json.mjs";
import { keptEncrypted, keptInTurn, keptOnPostgres, keptOnSqlite } from "./suites/kept-runs.mjs";
import metricsScrape from "./suites/metrics-scrape.mjs";
import offload from "./suites/offload.mjs";
import offloadNeighbours from "./suites/offload-neighbours.mjs";
import parallel from "./suites/parallel.mjs";
import plaintext from "./suites/plaintext.mjs";
import plaintextPipelined from "./suites/plaintext-pipelined.mjs";
import { guardedRecording, smallRecording } from "./suites/recording.mjs";
import replay from "./suites/replay.mjs";
import requestIdPipelined from "./suites/request-id-pipelined.mjs";
import { parameterRoutes, staticRoutes } from "./suites/routes.mjs";
import { clientMemory, eventFanOut } from "./suites/sse.mjs";
import start from "./suites/start.mjs";
import { largeFiles, smallFiles } from "./suites/static.mjs";
import typeChecking from "./suites/type-checking.mjs";
import validatedOrder from "./suites/validated-order.mjs";
import validation from "./suites/validation.mjs";
import { waitingBurst, waitingLate, waitingRuns, waitingSleepers } from "./suites/waiting-runs.mjs";
import watching from "./suites/watching.mjs";
import { connectionMemory, fanOut, fanOutInTurns } from "./suites/websocket-fanout.mjs";

export const suites = [
  executorSmall,
  executorLarge,
  executorPromise,
  parallel,
  watching,
  metricsScrape,
  bus,
  validation,
  plaintextPipelined,
  requestIdPipelined,
  plaintext,
  json,
  validatedOrder,
  guardedOrder,
  guardedRecording,
  smallRecording,
  identity,
  start,
  staticRoutes,
  parameterRoutes,
  runsInFlight,
  clients,
  fanOut,
  fanOutInTurns,
  connectionMemory,
  smallFiles,
  largeFiles,
  eventFanOut,
  clientMemory,
  keptOnSqlite,
  keptEncrypted,
  keptOnPostgres,
  keptInTurn,
  waitingRuns,
  waitingLate,
  waitingBurst,
  waitingSleepers,
  replay,
  offload,
  offloadNeighbours,
  auditOnSqlite,
  auditOnPostgres,
  typeChecking,
];

/** The suites of these names, or all where there are none. Throws for a name that is none. */
export function suitesNamed(names) {
  const known = suites.map((suite) => suite.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`No suite ${unknown.join(", ")}. There are: ${known.join(", ")}`);
  return names.length === 0 ? suites : suites.filter((suite) => names.includes(suite.name));
}
