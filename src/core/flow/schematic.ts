// The structure of an Axon as data. Ids derive from names and positions, never from random
// values: two exports of the same code are identical bytes.

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
  | "Wait"
  | "Start"
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

/** How concurrent runs of an Axon exclude each other; absent if they do not. */
export interface DrawnExecutionMode {
  readonly kind: "singleton";
  readonly lock_key: string;
  readonly ttl_ms: number;
}

/** A policy as text, and as data for comparison. */
export interface DrawnPolicy {
  readonly policy: string;
  readonly rule: IamRule;
}

/** The identity boundary of an Axon. Contains no secret. */
export interface DrawnIam extends DrawnPolicy {
  readonly verifier: string;
  readonly token: string;
  /** Why a route asks for less than its Axon. */
  readonly weakened?: string;
}

/** What a run waits for. Of "continue", it goes on from its first step in a new log. */
export interface DrawnWait {
  readonly for: "time" | "signal" | "run" | "continue";
  /** For "time", unless the time depends on the run. */
  readonly ms?: number;
  /** For "signal": any of these, with the schemas of their payloads. */
  readonly signals?: readonly { readonly name: string; readonly schema: TSchema }[];
  /** For "run": the name of its Axon. */
  readonly axon?: string;
}

export interface SchematicNode {
  readonly id: string;
  readonly kind: NodeKind;
  readonly label: string;
  readonly description?: string;
  readonly bus_capability?: BusCapability;
  readonly emits?: readonly string[];
  /** Maximum number of retries after a fault, and their delays. */
  readonly retry?: { readonly max_retries: number; readonly backoff: string };
  readonly timeout_ms?: number;
  readonly compensation_node_id?: string;
  /** What a replay does with the step: runs it, or gives back its stored outcome. Absent if the step declares neither. */
  readonly replay?: "pure" | "effect";
  /** The function that the node runs in a thread of the pool. */
  readonly offload?: { readonly module: string; readonly export: string };
  /** Of an Audit: the recorded action, unless it depends on the run, and the mode if the record fails. */
  readonly audit?: { readonly action?: string; readonly on_failure: "refuse" | "log" };
  /** Of a Wait. Its `timeout_ms` is that of the wait. */
  readonly waits?: DrawnWait;
  /** Of a Start: the name of the Axon of the run that begins here. */
  readonly starts?: string;
  /** Of a FanOut: effect of one step's fault on the others. */
  readonly strategy?: "AllMustSucceed" | "AnyCanFail";
  /** Of a Subgraph: its content. The ids in it begin with this node's. */
  readonly schematic?: Schematic;
  /** Of an Iam: its policy, its verifier, and the name of the key of the token. */
  readonly iam?: DrawnIam;
  /** Of a Guard: its policy, if declared. */
  readonly admits?: DrawnPolicy;
  /** Of an Ingress: the lock its Axon holds while it runs. */
  readonly execution_mode?: DrawnExecutionMode;
  /** Of an Ingress: present if its runs are kept. States when checkpoints are written. */
  readonly persistence?: { readonly checkpoint: "sync" | "async" | "none" };
  /** Of an Ingress: the budget of a run of its Axon. */
  readonly budget?: { readonly p99_ms?: number; readonly bytes?: number };
  readonly input_schema?: TSchema;
  readonly output_schema?: TSchema;
  /** Not compared. Exported on request only. */
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
