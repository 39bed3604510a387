// Results that entry.js tags, as outcomes of the step.

import { type Fault, fault, mappedFault } from "#core/bus/outcome.js";
import { ProblemDetail, type ProblemFields } from "#core/bus/problem-detail.js";
import { runtimeFault } from "#core/bus/runtime-fault.js";

/** A thrown error: name, message, stack, and its own fields that are no objects. */
type ThrownError = readonly [
  kind: "error",
  name: string,
  message: string,
  stack: string | undefined,
  fields: Readonly<Record<string, unknown>>,
];
type Thrown = ThrownError | readonly [kind: "thrown", value: unknown];

/** The error of a service that the function made a fault of. */
interface Mapped {
  readonly step: string;
  readonly thrown: Thrown;
}

export type TaggedResult =
  | readonly [kind: "value", value: unknown]
  | readonly [kind: "fault", error: unknown, mapped?: Mapped]
  | readonly [kind: "problem", fields: ProblemFields, mapped?: Mapped]
  | readonly [kind: "unable", reason: string]
  | readonly [kind: "dropped"]
  | readonly [kind: "export", type: string]
  | readonly [kind: "module", ...thrown: Thrown]
  | Thrown;

interface Called {
  readonly step: string;
  readonly task: { readonly module: string; readonly name: string };
}

/** The outcome of the step. Throws the error that the function threw. */
export function outcomeOf(result: TaggedResult, { step, task: { module, name } }: Called): unknown {
  switch (result[0]) {
    case "value":
      return result[1];
    // Its run was aborted before.
    case "dropped":
      return undefined;
    case "fault":
      return faultOf(result[1], result[2]);
    case "problem":
      return faultOf(new ProblemDetail(result[1]), result[2]);
    case "unable": {
      const reason = `${result[1]}: a worker answers data or a fault; make the rest in a step behind it`;
      return fault(runtimeFault({ code: "VALUE_NOT_CLONEABLE", step, value: "answer", reason }));
    }
    case "export": {
      const what = result[1] === "undefined" ? "does not export" : `exports as a ${result[1]}`;
      const reason = `it ${what} '${name}': name one of its functions in 'export'`;
      return fault(runtimeFault({ code: "WORKER_MODULE_FAILED", step, module, reason, cause: undefined }));
    }
    case "module": {
      const [, ...thrown] = result;
      const cause = rebuilt(thrown);
      const reason = `it threw when it was loaded: ${cause instanceof Error ? cause.message : String(cause)}`;
      return fault(runtimeFault({ code: "WORKER_MODULE_FAILED", step, module, reason, cause }));
    }
    default:
      throw rebuilt(result);
  }
}

/** "done", or the code of the fault that {@link outcomeOf} makes of the result. */
export function endOf([kind]: TaggedResult): string {
  if (kind === "unable") return "VALUE_NOT_CLONEABLE";
  return kind === "export" || kind === "module" ? "WORKER_MODULE_FAILED" : "done";
}

const faultOf = (error: unknown, mapped: Mapped | undefined): Fault<unknown> =>
  mapped === undefined ? fault(error) : mappedFault(error, { ...mapped, thrown: rebuilt(mapped.thrown) });

function rebuilt(thrown: Thrown): unknown {
  if (thrown[0] === "thrown") return thrown[1];
  const [, name, message, stack, fields] = thrown;
  const error = new Error(message);
  const own = { ...fields, name, stack };
  for (const [key, value] of Object.entries(own))
    Object.defineProperty(error, key, {
      value,
      enumerable: Object.hasOwn(fields, key),
      writable: true,
      configurable: true,
    });
  return error;
}
