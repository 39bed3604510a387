// Icons of the node kinds, 12 by 12: a key for identity, a shield for a guard.

import type { NodeKind } from "#core/flow/schematic.js";

const PATHS: Readonly<Record<NodeKind, string>> = {
  Ingress: "M1 6h8M6 3l3 3-3 3",
  Egress: "M1 6h8M6 3l3 3-3 3",
  Layer: "M1 4.5 6 2l5 2.5L6 7zM1 8l5 2.5L11 8",
  Guard: "M6 1l4 1.5v3C10 8.500 8 10.200 6 11 4 10.200 2 8.500 2 5.500v-3z",
  Iam: "M1 6a2.500 2.500 0 1 0 5 0a2.500 2.500 0 1 0-5 0M6 6h5v2M9 6v2",
  Atom: "M3 3h6v6H3z",
  Synapse: "M1 6h3M8 6h3M4 6a2 2 0 1 0 4 0a2 2 0 1 0-4 0",
  Wait: "M6 1a5 5 0 1 0 0 10A5 5 0 1 0 6 1zM6 3.500V6l2 1.500",
  Start: "M1.500 6h4M5.500 2.500h5v7h-5zM4 4l2 2-2 2",
  Audit: "M2.500 1.500h7v9h-7zM4.500 4h3M4.500 6h3M4.500 8h2",
  Subgraph: "M1.500 1.500h9v9h-9zM4 4h4v4H4z",
  FanOut: "M1 6h3l4-4h3M4 6h7M4 6l4 4h3",
  FanIn: "M11 6H8L4 2H1M8 6H1M8 6l-4 4H1",
};

export const Glyph = ({ kind }: { readonly kind: NodeKind }) => (
  <svg class="glyph" width="12" height="12" aria-hidden="true">
    <path d={PATHS[kind]} />
  </svg>
);
