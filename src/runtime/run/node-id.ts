import type { LayerDefinition, StepDefinition } from "../definition/axon-definition.js";

// Ids are paths of names: "orders/price", "orders/price#2", "orders/price:vip/gift".
// Separators are escaped in names, so different steps never share an id.
const escapeName = (name: string): string =>
  name.replace(/[%/#:]/g, (c) => `%${c.charCodeAt(0).toString(16)}`);

export const axonId = (name: string): string => escapeName(name);

const numbered = (name: string, occurrence: number): string =>
  `${escapeName(name)}${occurrence === 0 ? "" : `#${occurrence + 1}`}`;

export const stepId = (parent: string, { transition, occurrence }: StepDefinition): string =>
  `${parent}/${numbered(transition.name, occurrence)}`;

export const layerId = (axon: string, { layer, occurrence }: LayerDefinition): string =>
  `${axon}:layer/${numbered(layer.name, occurrence)}`;
export const guardId = (axon: string, { transition, occurrence }: StepDefinition): string =>
  `${axon}:guard/${numbered(transition.name, occurrence)}`;

export const iamId = (axon: string): string => `${axon}:iam`;

export const undoId = (step: string): string => `${step}:undo`;

export const joinId = (step: string): string => `${step}:join`;

export const ingressId = (axon: string): string => `${axon}:in`;
export const egressId = (axon: string): string => `${axon}:out`;

/** Prefix of the ids of a branch's own steps. */
export const branchPath = (step: string, branch: string): string => `${step}:${escapeName(branch)}`;
