import type { TSchema } from "@sinclair/typebox";
import { mode } from "#core/mode.js";
import type { OutputCheck } from "#runtime/axon-definition.js";
import { anyJson } from "#schema/json-value.js";
import { compileSerialiser, type Serialise } from "#schema/serialiser.js";
import { compileSchema, type Validator } from "#schema/validator.js";
import { requireOneOf } from "../limit-options.js";
import { requireInteger } from "../required-integer.js";
import { dataText, eventText, invalid, type ServerEvent } from "./event-text.js";

export interface EventWriterOptions<T> {
  /** What `data` of each event is: it is written by it, as an answer is by the output schema. */
  readonly schema?: TSchema & { readonly static: T };
  /** Whether data are checked against the schema: "validate" or "pass". Default: "pass" in production, else "validate". */
  readonly check?: OutputCheck;
  /** Largest event as text. Default 65 536. */
  readonly maxEventBytes?: number;
}

/** Their names, for `namesOf`. */
export const WRITER_OPTIONS = { schema: true, check: true, maxEventBytes: true } as const;

/** Writes events whose data have one schema. */
export class EventWriter {
  readonly maxBytes: number;
  readonly #schema: Validator | undefined;
  readonly #serialise: Serialise;

  /** `owner` is for messages. Throws CONFIG_INVALID, SCHEMA_INVALID, SCHEMA_UNSUPPORTED. */
  constructor(owner: string, { schema, check, maxEventBytes = 65_536 }: EventWriterOptions<unknown>) {
    const checks = requireOneOf(`check of ${owner}`, check ?? (mode.production ? "pass" : "validate"), [
      "validate",
      "pass",
    ]);
    const ownedBy = `${owner}, schema`;
    this.maxBytes = requireInteger(`maxEventBytes of ${owner}`, maxEventBytes, 64, 16_777_216);
    this.#serialise = schema === undefined ? anyJson : compileSerialiser(schema, { owner: ownedBy });
    this.#schema =
      schema === undefined || checks === "pass"
        ? undefined
        : compileSchema(schema, { owner: ownedBy, origin: "program" });
  }

  /** Throws EVENT_INVALID. Its message names no value. */
  text(event: ServerEvent): string {
    const { data } = event;
    if (this.#schema !== undefined && !this.#schema.check(data)) {
      const [first] = this.#schema.errors(data);
      throw invalid(`its data are against the schema at '${first?.pointer}': expected ${first?.expected}`);
    }
    const text = eventText(event, dataText(data, this.#serialise));
    // Most are far below it, and a unit of a text has three bytes at most.
    if (text.length * 3 > this.maxBytes && Buffer.byteLength(text) > this.maxBytes)
      throw invalid(`it is longer than the ${this.maxBytes} bytes that maxEventBytes allows`);
    return text;
  }
}
