import type { SourceLocation } from "#core/flow/schematic.js";
import type { PolicyForm } from "./policy.js";

/** The rules of a policy, and the changes that each denies. */
export const RULES = {
  route_removal: "a route or a mounted Axon is gone",
  node_removal: "a step is gone",
  guard_removal: "a guard or layer is gone, or runs behind a step that it preceded",
  iam_weakening: "a policy admits more callers, or tokens are verified differently",
  schema_narrowing: "an input accepts less",
  output_widening: "an output promises less",
  missing_output_schema: "a route lost its output schema, or a new route has none",
  bus_widening: "a step reads, writes or deletes further keys of the Bus",
  limit_raise: "a limit of size, time or number is higher or gone",
  unbounded_retry: "a step is retried more than 100 times without a deadline",
  compensation_removal: "a step is not undone any more",
  persistence_weakening: "runs are kept less safely, or not at all",
  audit_weakening: "a run continues although it could not be recorded",
  unversioned_change_of_kept: "a kept Axon has another structure under the same version",
} as const;

export type Rule = keyof typeof RULES;

/** The form of a policy for changes. */
export const CHANGE_POLICY: PolicyForm<Rule> = {
  rules: Object.keys(RULES) as readonly Rule[],
  example: "guard_removal",
  part: "node",
  partMeans: "the id of the node",
};

export type Area =
  | "route"
  | "axon"
  | "version"
  | "node"
  | "edge"
  | "guard"
  | "layer"
  | "iam"
  | "input"
  | "output"
  | "limit"
  | "bus"
  | "retry"
  | "compensation"
  | "persistence"
  | "audit"
  | "description"
  | "other";

export type Direction =
  | "added"
  | "removed"
  | "changed"
  | "narrowed"
  | "widened"
  | "weakened"
  | "strengthened";

/** One difference of two exports. */
export interface Change {
  readonly area: Area;
  readonly direction: Direction;
  /** The rule that can deny it. */
  readonly rule: Rule | undefined;
  readonly axon: string;
  /** Mounts of the Axon that have this change. */
  readonly mounts: readonly string[];
  /** Undefined for a change of the route or the whole Axon. */
  readonly node: string | undefined;
  /** "minimum 1, was no minimum". */
  readonly text: string;
  /** Location in head; of a removed node its Axon's. Undefined if neither has locations. */
  readonly location: SourceLocation | undefined;
}

/** The place of a change: a comparison adds it to each of its changes. */
export interface Site {
  readonly axon: string;
  readonly mount: string;
  readonly locate: (node: string | undefined) => SourceLocation | undefined;
}

/** Collects the changes of one circuit. */
export class Changes {
  readonly list: Change[] = [];
  readonly #site: Site;

  constructor(site: Site) {
    this.#site = site;
  }

  add(
    area: Area,
    direction: Direction,
    text: string,
    { node, rule }: { readonly node?: string; readonly rule?: Rule | undefined } = {},
  ): void {
    const { axon, mount, locate } = this.#site;
    this.list.push({ area, direction, rule, axon, mounts: [mount], node, text, location: locate(node) });
  }
}
