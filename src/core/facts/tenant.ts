// The tenant of a request. Naming a tenant proves nothing: an identity decides whether the
// caller belongs to it.

import { type BusKey, namedKey } from "../bus/bus-key.js";
import { FrameworkError } from "../errors.js";
import { header, RequestPath } from "./ingress-facts.js";

export const TenantId = namedKey<string, "TenantId">("TenantId");

export type TenantResolver =
  | { readonly kind: "header"; readonly name: string }
  | { readonly kind: "subdomain"; readonly baseDomain: string }
  | { readonly kind: "path-prefix" };

/** Treatment of a request that names no tenant. A malformed name is refused by either policy. */
export type IsolationPolicy =
  | { readonly kind: "strict" }
  | { readonly kind: "default-tenant"; readonly id: string };

export type TenantName =
  | { readonly kind: "named"; readonly id: string }
  | { readonly kind: "absent" }
  | { readonly kind: "malformed" };

/** The grammar of DNS labels, so that one id works with all resolvers. */
const ID = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/;

// ASCII only: Unicode lower-casing turns a Kelvin sign into "k", and so a look-alike host into a real one.
const lowerCase = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const ABSENT: TenantName = Object.freeze({ kind: "absent" });
const MALFORMED: TenantName = Object.freeze({ kind: "malformed" });

export const TenantResolver = Object.freeze({
  /** From the value of a header. Use it only behind a gateway that sets the header: clients can forge it. */
  header(name: string): TenantResolver {
    const lower = lowerCase(name);
    if (!HEADER_NAME.test(lower)) {
      throw new FrameworkError(
        "CONFIG_INVALID",
        `TenantResolver.header(${JSON.stringify(name)}): give the name of a header, such as "x-tenant"`,
      );
    }
    return Object.freeze({ kind: "header", name: lower });
  },

  /** From the one label of the Host before `baseDomain`: `acme.example.com` under "example.com". */
  subdomain(baseDomain: string): TenantResolver {
    const lower = lowerCase(baseDomain);
    if (lower.length > 253 || !lower.split(".").every((label) => ID.test(label))) {
      throw new FrameworkError(
        "CONFIG_INVALID",
        `TenantResolver.subdomain(${JSON.stringify(baseDomain)}): give a domain without port, scheme or leading dot, such as "example.com"`,
      );
    }
    return Object.freeze({ kind: "subdomain", baseDomain: lower });
  },

  /** From the first segment of the path, unchanged: `/acme/orders`. */
  pathPrefix(): TenantResolver {
    return Object.freeze({ kind: "path-prefix" });
  },
});

export const IsolationPolicy = Object.freeze({
  /** Refuses a request that names no tenant. */
  strict(): IsolationPolicy {
    return Object.freeze({ kind: "strict" });
  },

  /** Assigns a request that names no tenant to this tenant. */
  defaultTenant(id: string): IsolationPolicy {
    if (!ID.test(id)) {
      throw new FrameworkError(
        "CONFIG_INVALID",
        `IsolationPolicy.defaultTenant(${JSON.stringify(id)}): an id has 1 to 63 of a-z, 0-9 and inner hyphens`,
      );
    }
    return Object.freeze({ kind: "default-tenant", id });
  },
});

/** The key that a resolver reads. */
export function tenantSource(resolver: TenantResolver): BusKey<string, string> {
  switch (resolver.kind) {
    case "header":
      return header(resolver.name) as BusKey<string, string>;
    case "subdomain":
      return header("host") as BusKey<string, string>;
    case "path-prefix":
      return RequestPath as BusKey<string, string>;
  }
}

/** The tenant that the value of {@link tenantSource} names. Case-sensitive, except in a host name. */
export function tenantNamed(resolver: TenantResolver, text: string | undefined): TenantName {
  if (text === undefined || text === "") return ABSENT;
  switch (resolver.kind) {
    case "header":
      return named(text);
    case "subdomain":
      return namedByHost(text, resolver.baseDomain);
    case "path-prefix":
      return text === "/" ? ABSENT : named(text.split("/", 2)[1] ?? "");
  }
}

const named = (id: string): TenantName => (ID.test(id) ? { kind: "named", id } : MALFORMED);

/** A host outside the base domain is malformed: a default tenant would serve any look-alike. */
function namedByHost(host: string, baseDomain: string): TenantName {
  const domain = lowerCase(host).replace(/:\d*$/, "").replace(/\.$/, "");
  if (domain === baseDomain) return ABSENT;
  // Includes the dot, so that evilexample.com is not under example.com.
  // hole: a request to "evilexample.com" would have a tenant
  return domain.endsWith(`.${baseDomain}`) ? named(domain.slice(0, -baseDomain.length - 1)) : MALFORMED;
}
