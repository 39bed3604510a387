import type { BusView } from "#core/bus.js";
import type { Guard } from "#core/guard.js";
import { header, RequestMethod } from "#core/ingress-facts.js";
import { type Fault, type Pass, pass } from "#core/outcome.js";
import { SessionLookup } from "#core/session.js";
import { type GuardFault, guardFault } from "./guard-fault.js";
import { LoadedSession } from "./loaded-session.js";

const TOKEN = header("x-csrf-token");
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const INVALID = guardFault("CSRF_TOKEN_INVALID");

type Needed = typeof RequestMethod | typeof SessionLookup;

/**
 * Refuses what changes something in a session without its token in `x-csrf-token`: a page that
 * has read `Session.csrfToken` sends it, and one of another site cannot read it. What comes
 * without a session passes, for there is nobody in whose name it could be forged; whether that
 * may be is ValidateSession's to say.
 *
 * As a rule CsrfGuard is enough, and asks nothing of the page: it goes by what browsers say of
 * where a request is from. Use both where that is not to decide alone: where it lets in pages of
 * the same site (`allowSameSite`) or of browsers that say nothing (`unknownSource: "pass"`), and
 * over plain http. This one does not cover the login, which has no session yet, nor forms without
 * a script, which cannot send a header: both are CsrfGuard's. Neither helps against a script that
 * runs in a page of one's own.
 */
export class CsrfTokenGuard implements Guard<GuardFault<"CSRF_TOKEN_INVALID">, Needed, never, typeof TOKEN> {
  readonly name = "CsrfTokenGuard";
  readonly kind = "guard";
  readonly description = "Changes in a session with its token";
  readonly reads = [RequestMethod, SessionLookup] as const;
  readonly mayRead = [TOKEN] as const;

  readonly run = (
    input: unknown,
    bus: BusView<Needed, never, typeof TOKEN>,
  ): Pass | Fault<GuardFault<"CSRF_TOKEN_INVALID">> => {
    if (SAFE.has(bus.get(RequestMethod))) return pass(input);
    const found = bus.get(SessionLookup);
    if (found.kind !== "live") return pass(input);
    return LoadedSession.hasToken(found.session, bus.find(TOKEN) ?? "") ? pass(input) : INVALID;
  };
}
