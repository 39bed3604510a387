// Events of which each client gets its own: made while it takes them, and no longer.

import { setTimeout as pause } from "node:timers/promises";

import { Axon, Framework, header, Type } from "framework";

const From = Type.Object({ from: Type.Integer({ minimum: 1, maximum: 600 }) });
const LastEventId = header("last-event-id");

export function countdown(secondMs = 1000) {
  const count = Axon.start("countdown", From).thenFn(
    "count",
    { mayUse: { lastEventId: LastEventId } },
    ({ from }, bus) => {
      const left = Number(bus.lastEventId ?? from + 1) - 1;
      // Without an answer, 204, the browser does not come back.
      if (!(left >= 0 && left <= from)) return undefined;
      return async function* ({ signal }: { readonly signal: AbortSignal }) {
        for (let seconds = left; seconds >= 0; seconds -= 1) {
          yield { id: String(seconds), event: "second", data: seconds };
          await pause(secondMs, undefined, { signal });
        }
      };
    },
  );

  return Framework.http().sse("/countdown", count);
}
