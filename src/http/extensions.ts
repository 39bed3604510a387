import type { AnswerObserver } from "#core/answer-observer.js";
import type { Recorder } from "#core/recorder.js";
import type { Extension } from "./extension.js";
import type { IngressPlan } from "./ingress-plan.js";
import { joinedRecorder } from "./joined-recorder.js";

/** The extensions of one server. */
export interface Extensions {
  readonly all: readonly Extension[];
  readonly observers: readonly AnswerObserver[];
  /** Who watches the runs of the server, whose own recorder is told first. */
  readonly recorderBeside: (own: Recorder | undefined) => Recorder | undefined;
}

const extensionsOf = (all: readonly Extension[]): Extensions => ({
  all,
  observers: all.flatMap(({ observer }) => observer ?? []),
  recorderBeside: (own) =>
    joinedRecorder(
      [own, ...all.map(({ recorder }) => recorder)].filter((one) => one !== undefined),
      true,
    ),
});

export const noExtensions: Extensions = extensionsOf([]);

/** Loads the code of the plan's extensions; undefined if all of it is loaded. */
export function loadExtensions({ extensions }: IngressPlan): Promise<unknown> | undefined {
  const loading = extensions.flatMap((source) => source.load() ?? []);
  return loading.length === 0 ? undefined : Promise.all(loading);
}

/** Made anew for each server: none shares them. Their code must be loaded. */
export const extensionsFor = (plan: IngressPlan): Extensions =>
  plan.extensions.length === 0 ? noExtensions : extensionsOf(plan.extensions.map(({ make }) => make(plan)));
