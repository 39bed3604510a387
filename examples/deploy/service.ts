// A service as it is deployed: what it needs, what probes ask, how it begins and stops.

import { Axon, busKey, Framework } from "framework";

/** What a client library gives: a connection that must be closed. */
export interface Stock extends AsyncDisposable {
  left(): Promise<number>;
  ping(signal: AbortSignal): Promise<void>;
}

const StockKey = busKey<Stock>()("Stock");

const stock = Axon.start("stock").thenFn("count", { uses: { stock: StockKey } }, async (_, bus) => ({
  left: await bus.stock.left(),
}));

export const service = Framework.http({ resources: [StockKey] })
  .get("/stock", stock)
  // For people and monitors: every check. For the balancer: critical ones. For the orchestrator: none.
  .healthEndpoint("/health")
  .readinessLivenessDefault()
  .healthCheck("stock", ({ Stock }, signal) => Stock.ping(signal))
  .healthCheck("last order", async ({ Stock }) => (await Stock.left()) > 0, {
    critical: false,
    cacheMs: 30_000,
  })
  // Before it listens; what it answers undoes it, when nobody is served any more.
  .onStart(({ Stock }) => {
    const timer = setInterval(() => void Stock.left(), 60_000);
    return () => clearInterval(timer);
  })
  .gracefulShutdown(25_000);
