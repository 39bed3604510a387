import type { BusView } from "#core/bus/bus.js";
import type { BusKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { type Fault, type Pass, pass } from "#core/bus/outcome.js";
import { nodeCodes } from "#core/error-codes.js";
import {
  IsolationPolicy,
  TenantId,
  type TenantResolver,
  tenantNamed,
  tenantSource,
} from "#core/facts/tenant.js";
import { type NodeFault, nodeFault } from "../faults.js";

export type TenantFault = NodeFault<"TENANT_INVALID"> | NodeFault<"TENANT_MISSING">;

/**
 * Writes TenantId from the request. It does not prove that the caller belongs to that tenant: check
 * it against the identity in a later step.
 */
export class ResolveTenant {
  readonly name = "ResolveTenant";
  readonly description: string;
  readonly mayRead: readonly BusKey<string, string>[];
  readonly writes = [TenantId] as const;
  readonly responses: readonly DeclaredResponse[];
  readonly #resolver: TenantResolver;
  readonly #policy: IsolationPolicy;
  readonly #source: BusKey<string, string>;

  constructor(resolver: TenantResolver, policy: IsolationPolicy = IsolationPolicy.strict()) {
    this.#source = tenantSource(resolver);
    this.description = `${resolver.kind} ${this.#source.name}, ${policy.kind}`;
    this.mayRead = [this.#source];
    const missing = policy.kind === "strict" ? (["TENANT_MISSING"] as const) : [];
    this.responses = declaredOf(nodeCodes, "TENANT_INVALID", ...missing);
    this.#resolver = resolver;
    this.#policy = policy;
  }

  run(
    input: unknown,
    bus: BusView<never, typeof TenantId, BusKey<string, string>>,
  ): Pass | Fault<TenantFault> {
    const tenant = tenantNamed(this.#resolver, bus.find(this.#source));
    switch (tenant.kind) {
      case "named":
        bus.set(TenantId, tenant.id);
        return pass(input);
      case "malformed":
        return nodeFault("TENANT_INVALID", { detail: `${this.#where()} names no tenant that can be` });
      case "absent":
        if (this.#policy.kind === "strict")
          return nodeFault("TENANT_MISSING", { detail: `${this.#where()} has to name it` });
        bus.set(TenantId, this.#policy.id);
        return pass(input);
    }
  }

  #where(): string {
    switch (this.#resolver.kind) {
      case "header":
        return `Header '${this.#resolver.name}'`;
      case "subdomain":
        return `The host, one label below '${this.#resolver.baseDomain}',`;
      case "path-prefix":
        return "The first segment of the path";
    }
  }
}
