// What a peer answers that was asked to do something: what came of it, or why not.

import { type Fault, fault, isFault } from "#core/outcome.js";
import { InspectorFault, inspectorFault } from "../fault.js";

type Refused = Fault<InspectorFault>;

/** As JSON. */
export type Passed<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly refused: Pick<InspectorFault, "code" | "particulars"> };

export const passed = <T>(outcome: T | Refused): Passed<T> =>
  isFault(outcome)
    ? { kind: "refused", refused: { code: outcome.error.code, particulars: outcome.error.particulars } }
    : { kind: "done", value: outcome };

export const received = <T>(given: Passed<T>): T | Refused =>
  given.kind === "done"
    ? given.value
    : fault(new InspectorFault(given.refused.code, given.refused.particulars));

/** Nobody who answered has it, and it may be with those who did not. */
export const silence = (silent: number): Refused =>
  inspectorFault("WORKER_SILENT", {
    detail: `${silent} of the workers did not answer in time: ask again`,
    headers: { "retry-after": "1" },
  });
