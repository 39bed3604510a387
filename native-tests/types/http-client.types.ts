// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  busKey,
  Framework,
  HttpClient,
  RequestId,
  synapse,
  TraceContext,
  type UpstreamError,
} from "framework";

const Plan = busKey<string>()("Plan");
const stock = new HttpClient("https://stock.internal", { timeoutMs: 500 });

// What must compile
const asked = synapse({
  name: "ask",
  mayRead: HttpClient.keys,
  call: (sku: string, bus) => stock.json(bus, sku),
  toFault: HttpClient.toFault,
});
const typed: (typeof asked)["kind"] = "synapse";
void typed;
synapse({ name: "ask", reads: HttpClient.keys, call: (_: void, bus) => stock.fetch(bus, "x") });
synapse({ name: "ask", mayRead: [Plan, ...HttpClient.keys], call: (_: void, bus) => stock.fetch(bus, "x") });
synapse({
  name: "ask",
  reads: [Plan, TraceContext, RequestId],
  call: (_: void, bus) => stock.fetch(bus, "x"),
});
const axon = Axon.start<string>("a").then(asked);
void axon.execute("sku");
const faults: UpstreamError extends AxonFaults ? true : false = true;
type AxonFaults =
  Extract<Awaited<ReturnType<typeof axon.execute>>, { kind: "fault" }> extends { error: infer E } ? E : never;
void faults;
Framework.http().get(
  "/",
  Axon.start("b").thenFn("b", (_, bus) => stock.fetch(bus, "x"), { mayRead: HttpClient.keys }),
);

// The ids are keys that the step has to declare.
// @ts-expect-error nothing is declared
Axon.start("c").thenFn("c", (_, bus) => stock.fetch(bus, "x"));
// @ts-expect-error the trace is not declared
Axon.start("c").thenFn("c", (_, bus) => stock.fetch(bus, "x"), { reads: [RequestId] });
// The signal is the run's, and redirects are answers.
Axon.start("c").thenFn(
  "c",
  (_, bus) => [
    // @ts-expect-error no signal of its own
    stock.fetch(bus, "x", { signal: AbortSignal.timeout(5) }),
    // @ts-expect-error no redirects
    stock.fetch(bus, "x", { redirect: "follow" }),
  ],
  { mayRead: HttpClient.keys },
);
