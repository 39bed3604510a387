import { Axon, guard, header, pass, VerifiedIdentity } from "framework";
import { RateLimitGuard } from "framework/std";

/** Here whoever sends a key is its client. A program that means it looks the key up first. */
export const apiKey = guard({
  name: "api-key",
  mayRead: [header("x-api-key")],
  mayWrite: [VerifiedIdentity],
  run: (input, bus) => {
    const key = bus.find(header("x-api-key"));
    if (key !== undefined) bus.set(VerifiedIdentity, key);
    return pass(input);
  },
});

export const limited = Axon.start("limited").thenFn("answer", () => "within the limit");

/** Ten at once, then five a second, of each key, or of each address without one. */
export const limits = { guards: [apiKey, new RateLimitGuard(10, 2000)] };
