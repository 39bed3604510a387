import { type Fault, fault } from "#core/bus/outcome.js";
import { ProblemDetail } from "#core/bus/problem-detail.js";
import { type IntoReply, type Reply, respond } from "#core/bus/reply.js";
import type { SchemaError } from "#core/bus/schema-error.js";
import { type InspectorCode, inspectorCodes } from "#core/error-codes.js";
import type { HeaderFields } from "#core/facts/response-facts.js";

interface Particulars {
  /** Shown to every holder of a token. */
  readonly detail?: string;
  readonly headers?: HeaderFields;
  readonly errors?: readonly SchemaError[];
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** The fault of a refused Inspector request. It converts itself to the HTTP response. */
export class InspectorFault implements IntoReply {
  readonly code: InspectorCode;
  readonly particulars: Particulars;

  constructor(code: InspectorCode, particulars: Particulars = {}) {
    this.code = code;
    this.particulars = particulars;
  }

  toReply(): Reply<ProblemDetail> {
    const { headers = {}, ...members } = this.particulars;
    return respond({
      headers,
      body: new ProblemDetail({ code: this.code, ...inspectorCodes[this.code], ...members }),
    });
  }
}

export const inspectorFault = (code: InspectorCode, particulars?: Particulars): Fault<InspectorFault> =>
  fault(new InspectorFault(code, particulars));

/** The fault of a capability that this server does not have; /status lists it as off. */
export const planned = (capability: string, detail: string): Fault<InspectorFault> =>
  inspectorFault("CAPABILITY_PLANNED", { detail, extensions: { capability: "planned", name: capability } });
