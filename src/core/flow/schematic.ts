// The structure of an Axon as data. Ids are made from names and positions, never
// at random: two exports of the same code are equal byte for byte.

import type { TSchema } from "@sinclair/typebox";

import type { IamRule } from "../iam/iam-rule.js";

export type NodeKind =
  | "Ingress"
  | "Layer"
  | "Guard"
  | "Iam"
  | "Atom"
  | "Synapse"
  | "Audit"
  | "Egress"
  | "Subgraph"
  | "FanOut"
  | "FanIn";

export interface SourceLocation {
  /** Relative to the nearest package.json. */
  readonly file: string;
  readonly line: number;
}

/** Names of keys, sorted. */
export interface BusCapability {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly may_read: readonly string[];
  readonly may_write: readonly string[];
  readonly deletes: readonly string[];
}

/** How the runs of an Axon stand to each other, where not each by itself. */
export interface DrawnExecutionMode {
  readonly kind: "singleton";
  readonly lock_key: string;
  readonly ttl_ms: number;
}

/** A policy as text and as data, by which two can be compared. */
export interface DrawnPolicy {
  readonly policy: string;
  readonly rule: IamRule;
}

/** What stands before an Axon and lets in whom its policy does. No secret in it. */
export interface DrawnIam extends DrawnPolicy {
  readonly verifier: string;
  readonly token: string;
  /** Why a route asks for less than its Axon does. */
  readonly weakened?: string;
}

export interface SchematicNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly description?: string;
  readonly bus_capability?: BusCapability;
  readonly emits?: readonly string[];
  /** How often it is tried again after a fault, and when. */
  readonly retry?: { readonly max_retries: number; readonly backoff: string };
  readonly timeout_ms?: number;
  readonly compensation_node_id?: string;
  /** The function that does its work in a thread of the pool. */
  readonly offload?: { readonly module: string; readonly export: string };
  /** Of an Audit: what it records, unless that depends on the run, and whether a run that cannot be recorded ends. */
  readonly audit?: { readonly action?: string; readonly on_failure: "refuse" | "log" };
  /** Of a FanOut: what a fault of one step means for the others. */
  readonly strategy?: "AllMustSucceed" | "AnyCanFail";
  /** Of a Subgraph: what is inside. Its ids begin with this node's. */
  readonly schematic?: Schematic;
  /** Of an Iam: whom it lets in, who verifies them, and the name of the key that the token is read from. */
  readonly iam?: DrawnIam;
  /** Of a Guard: whom it lets in, where it says. */
  readonly admits?: DrawnPolicy;
  /** Of an Ingress: what its Axon holds while it runs. */
  readonly execution_mode?: DrawnExecutionMode;
  /** Of an Ingress: whether its Axon keeps its runs, and when. */
  readonly persistence?: { readonly checkpoint: "sync" | "async" | "none" };
  /** Of an Ingress: what a run of its Axon may take. */
  readonly budget?: { readonly p99_ms?: number; readonly bytes?: number };
  readonly input_schema?: TSchema;
  readonly output_schema?: TSchema;
  /** No part of equality, and exported only when asked for. */
  readonly source_location?: SourceLocation;
}

export type EdgeKind = "Linear" | "Branch" | "Jump" | "Parallel" | "Compensation";

export interface SchematicEdge {
  readonly from: string;
  readonly to: string;
  readonly kind: EdgeKind;
  /** The branch id or the label jumped to. */
  readonly label?: string;
}

export interface Schematic {
  readonly schema_version: "1.0";
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly nodes: readonly SchematicNode[];
  readonly edges: readonly SchematicEdge[];
}
