import { BodyMemory } from "#http/exchange/body-memory.js";
import { Exchange } from "#http/exchange/exchange.js";
import { RecordedResponse } from "./recorded-response.js";

/** Counts what is open, as a server does. */
export function countingLedger(memory = Number.MAX_SAFE_INTEGER) {
  const ledger = {
    endsConnections: false,
    showsIds: false,
    bodies: new BodyMemory(memory),
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
export function openedExchange(
  head: { method?: string; bodyLength?: number; window?: number; memory?: number } = {},
) {
  const { window = Number.POSITIVE_INFINITY, memory, ...given } = head;
  const ledger = countingLedger(memory);
  const response = new RecordedResponse();
  response.window = window;
  const exchange = new Exchange(response, ledger);
  Object.assign(exchange, { method: "GET", ...given });
  return { ledger, response, exchange };
}
