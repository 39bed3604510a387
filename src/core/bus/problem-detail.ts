import { FrameworkError } from "../errors.js";
import { interned } from "../interned.js";
import type { SchemaError } from "./schema-error.js";

export interface ProblemFields<C extends string = string> {
  /** 400 to 599: a Fault never has a success status. */
  readonly status: number;
  /** Stable and machine-readable: "OUT_OF_STOCK". */
  readonly code: C;
  /** Short and human-readable. The same for each occurrence. */
  readonly title: string;
  /** Description of this occurrence. Sent to the client. */
  readonly detail?: string;
  /** A URI that names the kind of problem. Default "about:blank". */
  readonly type?: string;
  readonly errors?: readonly SchemaError[];
  /** Further members of the document. They cannot replace the members above. */
  readonly extensions?: Readonly<Record<string, unknown>>;
}

const RESERVED = new Set(["type", "title", "status", "detail", "instance", "code", "request_id", "errors"]);

/** An error with its response: a problem document (RFC 9457). Return it by `fault`. */
class ProblemDetail<const C extends string = string>
  implements Required<Pick<ProblemFields<C>, "status" | "code" | "title" | "type">>
{
  readonly status: number;
  readonly code: C;
  readonly title: string;
  readonly type: string;
  readonly detail: string | undefined;
  readonly errors: readonly SchemaError[] | undefined;
  readonly extensions: Readonly<Record<string, unknown>> | undefined;

  constructor(fields: ProblemFields<C>) {
    const { status, extensions } = fields;
    if (!Number.isInteger(status) || status < 400 || status > 599) {
      throw new FrameworkError(
        "PROBLEM_INVALID",
        `ProblemDetail status ${status}: use a status from 400 to 599`,
      );
    }
    const taken = Object.keys(extensions ?? {}).find((name) => RESERVED.has(name));
    if (taken !== undefined) {
      throw new FrameworkError(
        "PROBLEM_INVALID",
        `ProblemDetail extension '${taken}' is a member of its own: set it there`,
      );
    }
    this.status = status;
    this.code = fields.code;
    this.title = fields.title;
    this.type = fields.type ?? "about:blank";
    this.detail = fields.detail;
    this.errors = fields.errors;
    this.extensions = extensions;
  }
}

// The ingress of one copy of the package sends faults of another copy.
/** An error with its response: a problem document (RFC 9457). Return it by `fault`. */
const SharedProblemDetail = interned("ProblemDetail", () => ProblemDetail);
type SharedProblemDetail<C extends string = string> = ProblemDetail<C>;

export { SharedProblemDetail as ProblemDetail };

/** Defines the HTTP response of an application's own error type. */
export interface IntoProblemDetail {
  readonly toProblemDetail: () => ProblemDetail;
}

export const isIntoProblemDetail = (error: unknown): error is IntoProblemDetail =>
  typeof error === "object" &&
  error !== null &&
  typeof (error as Partial<IntoProblemDetail>).toProblemDetail === "function";
