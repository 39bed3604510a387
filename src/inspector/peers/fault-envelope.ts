// The outcome of an action in another process, as JSON: a value or a refusal.

import { type TSchema, Type } from "@sinclair/typebox";
import { type Fault, fault, isFault } from "#core/bus/outcome.js";
import { type InspectorCode, inspectorCodes } from "#core/error-codes.js";
import { InspectorFault, inspectorFault } from "../api/fault.js";

type Refused = Fault<InspectorFault>;

export type Passed<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "refused"; readonly refused: Pick<InspectorFault, "code" | "particulars"> };

/** Accepts the codes of this build only. */
const RefusedShape = Type.Object({
  code: Type.Unsafe<InspectorCode>(Type.Union(Object.keys(inspectorCodes).map((code) => Type.Literal(code)))),
  particulars: Type.Object({
    detail: Type.Optional(Type.String()),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    errors: Type.Optional(
      Type.Array(Type.Object({ pointer: Type.String(), keyword: Type.String(), expected: Type.String() })),
    ),
    extensions: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  }),
});

export const passedOf = <T>(done: TSchema) =>
  Type.Unsafe<Passed<T>>(
    Type.Union([
      Type.Object({ kind: Type.Literal("done"), value: done }),
      Type.Object({ kind: Type.Literal("refused"), refused: RefusedShape }),
    ]),
  );

export const passed = <T>(outcome: T | Refused): Passed<T> =>
  isFault(outcome)
    ? { kind: "refused", refused: { code: outcome.error.code, particulars: outcome.error.particulars } }
    : { kind: "done", value: outcome };

export const received = <T>(given: Passed<T>): T | Refused =>
  given.kind === "done"
    ? given.value
    : fault(new InspectorFault(given.refused.code, given.refused.particulars));

/** The fault for an item that no answering worker has: a silent worker may have it. */
export const silence = (silent: number): Refused =>
  inspectorFault("WORKER_SILENT", {
    detail: `${silent} of the workers did not answer in time: ask again`,
    headers: { "retry-after": "1" },
  });
