// Labels of a run: short plain texts by which people find it, such as the number of an order.

import type { BusKey } from "./bus-key.js";

/** The labels of a run, by their names. */
export type RunLabels = Readonly<Record<string, string>>;

/** Stands in the types of an Axon for a label that its steps set: `withLabels` provides it. No Bus has it. */
export type LabelKey<Name extends string> = Name extends string ? BusKey<string, `label:${Name}`> : never;

/** Maximum length of a label, and number of labels of a run. */
export const MAX_LABEL_LENGTH = 100;
export const MAX_LABELS = 8;

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,39}$/;

export const isLabelName = (name: string): boolean => NAME.test(name);

/** One label that a run is to have: `order:123`. */
export interface LabelFilter {
  readonly name: string;
  readonly value: string;
}

/** The name and value in "order:123"; undefined for any other text. */
export function labelIn(text: string): LabelFilter | undefined {
  const at = text.indexOf(":");
  const name = text.slice(0, Math.max(0, at));
  return isLabelName(name) ? { name, value: text.slice(at + 1) } : undefined;
}

export const hasLabel = (labels: RunLabels | undefined, wanted: LabelFilter | undefined): boolean =>
  labels !== undefined &&
  wanted !== undefined &&
  Object.hasOwn(labels, wanted.name) &&
  labels[wanted.name] === wanted.value;
