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
  .thenFn("read", (_, bus) => ({ cm: bus.get(Gauge).cm }), { reads: [Gauge] })
  .withOutputSchema(Reading);

export const recordLevel = Axon.start("record-level", Reading)
  .thenFn(
    "record",
    ({ cm }, bus) => {
      bus.get(Gauge).cm = cm;
      return respond({ status: 201, body: { cm } });
    },
    { reads: [Gauge], responses: [{ status: 201 }] },
  )
  .withOutputSchema(Reading);
