// Extensions of a server beside its routes: the Inspector.

import type { CountAnswer } from "#core/ports/answer-observer.js";
import type { Recorder } from "#core/timeline/recorder.js";
import type { Extension } from "../plan/extension.js";
import type { IngressPlan } from "../plan/ingress-plan.js";
import { joinedRecorder } from "../request/joined-recorder.js";

export interface Extensions {
  readonly all: readonly Extension[];
  readonly counts: readonly CountAnswer[];
  /** The server's recorder, which calls `own` first. */
  readonly recorderBeside: (own: Recorder | undefined) => Recorder | undefined;
}

const extensionsOf = (all: readonly Extension[]): Extensions => ({
  all,
  counts: all.flatMap(({ count }) => count ?? []),
  recorderBeside: (own) =>
    joinedRecorder(
      [own, ...all.map(({ recorder }) => recorder)].filter((one) => one !== undefined),
      true,
    ),
});

export const noExtensions: Extensions = extensionsOf([]);

/** Loads the code of extensions. Returns undefined if it is loaded. */
export function loadExtensions({ extensions }: IngressPlan): Promise<unknown> | undefined {
  const loading = extensions.flatMap((source) => source.load() ?? []);
  return loading.length === 0 ? undefined : Promise.all(loading);
}

/** New extensions for one server. Their code must be loaded. */
export const extensionsFor = (plan: IngressPlan): Extensions =>
  plan.extensions.length === 0 ? noExtensions : extensionsOf(plan.extensions.map(({ make }) => make(plan)));
