// A tide gauge: its last reading, told to whoever asks and replaced by what it sends.

import { Axon, busKey, respond, Type } from "framework";

const Reading = Type.Object(
  { cm: Type.Integer({ minimum: -500, maximum: 2000 }) },
  { additionalProperties: false },
);

/** Centimetres above chart datum. */
export interface Gauge {
  cm: number;
}
export const Gauge = busKey<Gauge>()("Gauge");

export const readLevel = Axon.start("read-level")
  .thenFn("read", { uses: { gauge: Gauge } }, (_, bus) => ({ cm: bus.gauge.cm }))
  .withOutputSchema(Reading);

export const recordLevel = Axon.start("record-level", Reading)
  .thenFn("record", { uses: { gauge: Gauge }, responses: [{ status: 201 }] }, ({ cm }, bus) => {
    bus.gauge.cm = cm;
    return respond({ status: 201, body: { cm } });
  })
  .withOutputSchema(Reading);
