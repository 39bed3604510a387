// Whoever starts a run may end it: no further step begins, and a step that waits is told.

import { Axon, busKey, transition } from "framework";

/** Calls a driver to the ramp. Resolves when the driver is there. */
export const Loudspeaker = busKey<(plate: string, signal: AbortSignal) => Promise<void>>()("Loudspeaker");

const call = transition({
  name: "call",
  uses: { loudspeaker: Loudspeaker },
  async run(plate: string, bus) {
    await bus.loudspeaker(plate, bus.signal);
    return plate;
  },
});

export const drive = Axon.start<string>("drive")
  .then(call)
  .thenFn("raise barrier", (plate) => `Go on, ${plate}`);
