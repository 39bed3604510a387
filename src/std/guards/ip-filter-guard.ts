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
 * Lets clients in by their addresses: of an allow list those that it holds, of a deny list
 * those that it does not. A client whose address is unknown is refused by both. Of ten
 * thousand ranges the decision takes less than half a microsecond.
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
    // A program without types can call it: without the check the list would be a deny list.
    if (listed !== "in" && listed !== "out") throw invalidOption("new IpFilterGuard(...)", REMEDY);
    this.description = listed === "in" ? "Allow list" : "Deny list";
    this.#listed = listed;
    this.#list = setOf(ranges);
  }

  /** Addresses and ranges: "10.0.0.0/8", "::1". Throws CONFIG_INVALID, naming each that is none. */
  static allowList(ranges: readonly string[]): IpFilterGuard {
    return new IpFilterGuard(ranges, "in");
  }

  static denyList(ranges: readonly string[]): IpFilterGuard {
    return new IpFilterGuard(ranges, "out");
  }

  /** Puts another list in place, for the requests from now on. The old one stays where this throws CONFIG_INVALID. */
  replace(ranges: readonly string[]): void {
    this.#list = setOf(ranges);
  }

  readonly run = (input: unknown, bus: BusView<never, never, typeof ClientIp, never>): Verdict => {
    const isListed = this.#list.hasText(bus.find(ClientIp) ?? "");
    // Undefined is neither.
    return isListed === (this.#listed === "in") ? pass(input) : REFUSED;
  };
}

const REFUSED = guardFault("ADDRESS_REFUSED");
const REMEDY = "call IpFilterGuard.allowList(...) or IpFilterGuard.denyList(...)";

const setOf = (ranges: readonly string[]): CidrSet =>
  new CidrSet(textList("IpFilterGuard", "what it was given", ranges), "IpFilterGuard");
