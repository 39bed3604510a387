// Receives alerts, and believes those that are signed and not old.

import { createHmac, timingSafeEqual } from "node:crypto";

import { Axon, bytes, Framework, fault, header, ProblemDetail } from "framework";

const Id = header("webhook-id");
const Time = header("webhook-timestamp");
const Signature = header("webhook-signature");

const FIVE_MINUTES = 300;

const untold = fault(
  new ProblemDetail({
    status: 401,
    code: "SIGNATURE_INVALID",
    title: "The signature is none of ours, or old",
  }),
);

/** `tell` is called once for each delivery: one that is sent again has the same id. */
export const receiver = (secret: string, tell: (alert: unknown) => void) => {
  const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
  const known = new Set<string>();
  const believe = Axon.start<Uint8Array>("alerts")
    .thenFn(
      "verify",
      { uses: { id: Id, time: Time, signature: Signature }, responses: [untold.error] },
      (body, bus) => {
        const [id, time] = [bus.id, bus.time];
        const wanted = createHmac("sha256", key).update(`${id}.${time}.`).update(body).digest();
        const [version, digest = ""] = bus.signature.split(",");
        const given = Buffer.from(digest, "base64");
        const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted);
        const isOld = !(Math.abs(Date.now() / 1000 - Number(time)) < FIVE_MINUTES);
        if (version !== "v1" || !isOurs || isOld) return untold;
        return { id, alert: JSON.parse(Buffer.from(body).toString()) as unknown };
      },
    )
    .thenFn("tell", ({ id, alert }) => {
      if (known.has(id)) return { told: false };
      if (known.size >= 1000) known.clear();
      known.add(id);
      tell(alert);
      return { told: true };
    });
  return Framework.http({ processGuards: false }).post("/alerts", believe, {
    input: bytes(),
    bodyLimit: 100_000,
  });
};
