import { Exchange } from "#http/exchange/exchange.js";
import { RecordedResponse } from "./recorded-response.js";

/** Counts what is open, as a server does. */
export function countingLedger() {
  const ledger = {
    endsConnections: false,
    showsIds: false,
    discards: { discardLimit: 100, discardTimeoutMs: 5000 },
    open: 0,
    opened: () => {
      ledger.open += 1;
    },
    closed: () => {
      ledger.open -= 1;
    },
  };
  return ledger;
}

/** An exchange in its handler; the response takes `window` bytes of a body at a time. */
export function openedExchange(head: { method?: string; bodyLength?: number; window?: number } = {}) {
  const { window = Number.POSITIVE_INFINITY, ...given } = head;
  const ledger = countingLedger();
  const response = new RecordedResponse();
  response.window = window;
  const exchange = new Exchange(response, ledger);
  Object.assign(exchange, { method: "GET", ...given });
  return { ledger, response, exchange };
}
