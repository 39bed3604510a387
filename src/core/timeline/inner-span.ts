// Work inside a step of a traced run: calls of services and stores, and the program's own spans.
// Recorded with the run's notes, not as events: a Timeline that is stored has none of it.

export type InnerKind = "http" | "synapse" | "store" | "span";

/** Values as OpenTelemetry has them. */
export type InnerAttributes = Readonly<Record<string, unknown>>;

export interface InnerStart {
  readonly kind: InnerKind;
  readonly name: string;
  /** The work around it. Default: none, it stands directly in the step. */
  readonly parent?: InnerSpan | undefined;
  /** Microseconds that it has run already. */
  readonly sinceUs?: number;
  readonly attributes?: InnerAttributes;
}

export interface InnerEnd {
  /** Code of the failure. Default: none. */
  readonly failed?: string | undefined;
  readonly attributes?: InnerAttributes;
  /** Default: since its start. */
  readonly tookUs?: number;
}

/** Of one run. Beyond it, spans are only counted, and attributes are left out. */
const MAX_SPANS = 200;
const MAX_BYTES = 64 * 1024;
const SPAN_BYTES = 100;
const MAX_NAME = 200;
const MAX_TEXT = 2000;
const MAX_ATTRIBUTES = 64;

/** What a run has recorded inside its nodes. */
export class InnerSpans {
  readonly all: InnerSpan[] = [];
  dropped = 0;
  #bytes = 0;

  begin(node: string, start: InnerStart, clock: { readonly now_us: number }): InnerSpan | undefined {
    const name = start.name.slice(0, MAX_NAME);
    if (this.all.length >= MAX_SPANS || !this.#hasRoom(SPAN_BYTES + 2 * name.length)) {
      this.dropped += 1;
      return undefined;
    }
    const span = new InnerSpan(node, { ...start, name }, this, clock);
    this.all.push(span);
    return span;
  }

  /** The attributes that there is room for, their texts cut. */
  taken(given: InnerAttributes): InnerAttributes {
    const taken: Record<string, unknown> = { __proto__: null };
    for (const [name, value] of Object.entries(given).slice(0, MAX_ATTRIBUTES)) {
      const kept = plainOf(value);
      const bytes = 2 * (name.length + (JSON.stringify(kept)?.length ?? 0));
      if (kept !== undefined && this.#hasRoom(bytes)) taken[name] = kept;
    }
    return taken;
  }

  #hasRoom(bytes: number): boolean {
    if (this.#bytes + bytes > MAX_BYTES) return false;
    this.#bytes += bytes;
    return true;
  }
}

export class InnerSpan {
  readonly node: string;
  readonly kind: InnerKind;
  readonly name: string;
  readonly parent: InnerSpan | undefined;
  /** Microseconds since the start of the run. */
  readonly fromUs: number;
  /** Undefined until it has ended. */
  tookUs: number | undefined;
  failed: string | undefined;
  attributes: InnerAttributes;
  readonly #of: InnerSpans;
  readonly #clock: { readonly now_us: number };

  constructor(node: string, start: InnerStart, of: InnerSpans, clock: { readonly now_us: number }) {
    const { kind, name, parent, sinceUs = 0, attributes = {} } = start;
    this.node = node;
    this.kind = kind;
    this.name = name;
    this.parent = parent;
    this.fromUs = Math.max(0, Math.round(clock.now_us - sinceUs));
    this.attributes = of.taken(attributes);
    this.#of = of;
    this.#clock = clock;
  }

  end({ failed, attributes, tookUs }: InnerEnd = {}): void {
    if (this.tookUs !== undefined) return;
    this.tookUs = Math.max(0, Math.round(tookUs ?? this.#clock.now_us - this.fromUs));
    this.failed = failed === undefined || CODE.test(failed) ? failed : "failed";
    if (attributes !== undefined) this.attributes = { ...this.attributes, ...this.#of.taken(attributes) };
  }
}

/** Undefined for a value that no attribute has. */
function plainOf(value: unknown): unknown {
  if (typeof value === "string") return value.slice(0, MAX_TEXT);
  if (typeof value === "number" || typeof value === "boolean") return value;
  return Array.isArray(value) ? value.slice(0, MAX_ATTRIBUTES).map((one) => plainOf(one) ?? null) : undefined;
}

/** The method of a Bus that records work inside its step. A symbol, because a step may give its keys any name. */
export const INNER: unique symbol = Symbol.for("framework.inner.1");

/** Undefined if the run is not traced, is over, or has too many. `bus` is that of a step. */
export const beginInner = (bus: object | undefined, start: InnerStart): InnerSpan | undefined =>
  (bus as { readonly [INNER]?: (start: InnerStart) => InnerSpan | undefined } | undefined)?.[INNER]?.(start);

/** Records a call of a store that answered a promise, until it settles. Returns the same answer. */
export function asStoreCall<T>(bus: object, name: string, answer: T): T {
  if (answer instanceof Promise) {
    const span = beginInner(bus, { kind: "store", name });
    if (span !== undefined) answer.then((value) => span.end({ failed: failureOf(value) }), endFailed(span));
  }
  return answer;
}

export const endFailed =
  (span: InnerSpan | undefined) =>
  (error: unknown): void =>
    span?.end({ failed: failureOf(error) ?? "failed" });

// A code that is not a constant could hold a secret.
const CODE = /^[\w.:-]{1,64}$/;

/** The code of an error, returned or thrown. Its text is not recorded. */
function failureOf(value: unknown): string | undefined {
  if (!(value instanceof Error)) return undefined;
  const { code } = value as { readonly code?: unknown };
  return typeof code === "string" ? code : "failed";
}
