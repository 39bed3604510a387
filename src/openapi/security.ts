// Whom operations let in, as security schemes and requirements. Guards and Axons demand a credential; the
// scheme of each is registered under a name that follows from where it is sent.

import type { Credential } from "#core/flow/guard.js";
import type { IamRule } from "#core/iam/iam-rule.js";
import type { RouteInfo } from "#http/plan/route-info.js";

type Requirement = Readonly<Record<string, readonly string[]>>;

export interface Security {
  readonly requirements: readonly Requirement[];
  /** Rules that roles alone do not say. */
  readonly rules: readonly IamRule[];
}

const BEARER = "bearerAuth";

export class SecuritySchemes {
  readonly #schemes = new Map<string, object>();

  /** Undefined for a route that asks for no credential. */
  of({ admits }: RouteInfo): Security | undefined {
    if (admits.length === 0) return undefined;
    const demanded = admits.filter(({ policy }) => policy.demandsIdentity);
    const requirement: Record<string, string[]> = {};
    for (const { policy, credential } of demanded.length > 0 ? demanded : admits) {
      const name = this.#register(credential);
      const roles = rolesOf(policy.rule) ?? [];
      requirement[name] = [...new Set([...(requirement[name] ?? []), ...roles])];
    }
    return {
      // Without a credential too, where none of them demands it.
      requirements: demanded.length > 0 ? [requirement] : [{}, requirement],
      rules: admits.map(({ policy }) => policy.rule).filter((rule) => rolesOf(rule) === undefined),
    };
  }

  /** By name, sorted. */
  get all(): Readonly<Record<string, object>> {
    return Object.fromEntries([...this.#schemes].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #register(credential: Credential | undefined): string {
    const { in: place, name } = credential ?? { in: "header", name: "authorization" };
    const isBearer = place === "header" && name === "authorization";
    const scheme = isBearer
      ? BEARER
      : `${place === "cookie" ? "cookie." : ""}${name.replace(/[^\w.-]/g, "_")}`;
    this.#schemes.set(
      scheme,
      isBearer ? { type: "http", scheme: "bearer" } : { type: "apiKey", in: place, name },
    );
    return scheme;
  }
}

/** Undefined for a rule that is more than roles, all of which a caller needs. */
function rolesOf(rule: IamRule): readonly string[] | undefined {
  switch (rule.kind) {
    case "none":
    case "identity":
      return [];
    case "role":
      return [rule.role];
    case "allOf": {
      const all = rule.rules.map(rolesOf);
      return all.some((roles) => roles === undefined) ? undefined : all.flatMap((roles) => roles ?? []);
    }
    default:
      return undefined;
  }
}
