import type { BusView } from "#core/bus/bus.js";
import { declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { guardCodes } from "#core/error-codes.js";
import { ClientIp } from "#core/facts/ingress-facts.js";
import type { Guard } from "#core/flow/guard.js";
import { invalidOption } from "#core/invalid-option.js";
import { CidrSet } from "#core/net/cidr-set.js";
import { type GuardFault, guardFault } from "../faults.js";
import { textList } from "../text-list.js";

type Verdict = Pass | Fault<GuardFault<"ADDRESS_REFUSED">>;

/**
 * Admits clients by address: those in an allow list, or those not in a deny list. Both refuse a
 * client with an unknown address. With ten thousand ranges a decision takes less than half a
 * microsecond.
 */
export class IpFilterGuard implements Guard<GuardFault<"ADDRESS_REFUSED">, never, never, typeof ClientIp> {
  readonly name = "IpFilterGuard";
  readonly kind = "guard";
  readonly description: string;
  readonly mayRead = [ClientIp] as const;
  readonly responses = declaredOf(guardCodes, "ADDRESS_REFUSED");
  readonly #listed: "in" | "out";
  #list: CidrSet;

  private constructor(ranges: readonly string[], listed: "in" | "out") {
    // For untyped callers: an unknown kind would otherwise act as a deny list.
    if (listed !== "in" && listed !== "out") throw invalidOption("new IpFilterGuard(...)", REMEDY);
    this.description = listed === "in" ? "Allow list" : "Deny list";
    this.#listed = listed;
    this.#list = setOf(ranges);
  }

  /** Addresses and ranges: "10.0.0.0/8", "::1". Throws CONFIG_INVALID, which names each invalid one. */
  static allowList(ranges: readonly string[]): IpFilterGuard {
    return new IpFilterGuard(ranges, "in");
  }

  static denyList(ranges: readonly string[]): IpFilterGuard {
    return new IpFilterGuard(ranges, "out");
  }

  /** Replaces the list for later requests. The old one stays if this throws CONFIG_INVALID. */
  replace(ranges: readonly string[]): void {
    this.#list = setOf(ranges);
  }

  readonly run = (input: unknown, bus: BusView<never, never, typeof ClientIp, never>): Verdict => {
    const isListed = this.#list.hasText(bus.find(ClientIp) ?? "");
    // Undefined equals neither.
    return isListed === (this.#listed === "in") ? pass(input) : REFUSED;
  };
}

const REFUSED = guardFault("ADDRESS_REFUSED");
const REMEDY = "call IpFilterGuard.allowList(...) or IpFilterGuard.denyList(...)";

const setOf = (ranges: readonly string[]): CidrSet =>
  new CidrSet(textList("IpFilterGuard", "what it was given", ranges), "IpFilterGuard");
