import { type NodeCode, nodeCodes } from "#core/error-codes.js";
import { type Fault, fault } from "#core/outcome.js";
import { type IntoProblemDetail, ProblemDetail } from "#core/problem-detail.js";
import type { SchemaError } from "#core/schema-error.js";

interface Particulars {
  readonly detail?: string;
  /** Where the input is wrong. Never holds the value. */
  readonly errors?: readonly SchemaError[];
}

/** Why a standard node refused its input. Knows its answer over HTTP. */
export class NodeFault<Code extends NodeCode> implements IntoProblemDetail {
  readonly code: Code;
  readonly detail: string | undefined;
  readonly errors: readonly SchemaError[] | undefined;

  constructor(code: Code, { detail, errors }: Particulars) {
    this.code = code;
    this.detail = detail;
    this.errors = errors;
  }

  toProblemDetail(): ProblemDetail {
    const { code, detail, errors } = this;
    return new ProblemDetail({
      code,
      ...nodeCodes[code],
      ...(detail !== undefined && { detail }),
      ...(errors !== undefined && { errors }),
    });
  }
}

export const nodeFault = <Code extends NodeCode>(
  code: Code,
  particulars: Particulars = {},
): Fault<NodeFault<Code>> => fault(new NodeFault(code, particulars));
