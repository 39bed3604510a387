// What a collector reads of an ExportTraceServiceRequest (opentelemetry-proto 1.x).

import { type Field, fieldsOf } from "./protobuf.js";

type Attributes = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** "" for a root. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: "INTERNAL" | "SERVER" | "CLIENT" | "CONSUMER" | "OTHER";
  /** Nanoseconds since 1970. */
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly attributes: Attributes;
  readonly events: readonly { readonly name: string; readonly attributes: Attributes }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: "UNSET" | "OK" | "ERROR";
  readonly message: string;
  readonly resource: Attributes;
  readonly scope: string;
}

export const spansOf = (request: Buffer): readonly ReceivedSpan[] =>
  messages(fieldsOf(request), 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0] ?? new Map(), 1);
    return messages(resourceSpans, 2).flatMap((scopeSpans) => {
      const scope = text(messages(scopeSpans, 1)[0] ?? new Map(), 1);
      return messages(scopeSpans, 2).map((span) => spanOf(span, resource, scope));
    });
  });

type Message = ReadonlyMap<number, readonly Field[]>;

function spanOf(span: Message, resource: Attributes, scope: string): ReceivedSpan {
  const status = messages(span, 15)[0] ?? new Map();
  return {
    traceId: hex(span, 1),
    spanId: hex(span, 2),
    traceState: text(span, 3),
    parentSpanId: hex(span, 4),
    name: text(span, 5),
    kind:
      (["OTHER", "INTERNAL", "SERVER", "CLIENT", "OTHER", "CONSUMER"] as const)[number(span, 6)] ?? "OTHER",
    startedAt: fixed64(span, 7),
    endedAt: fixed64(span, 8),
    attributes: attributesOf(span, 9),
    events: messages(span, 11).map((event) => ({ name: text(event, 2), attributes: attributesOf(event, 3) })),
    links: messages(span, 13).map((link) => ({ traceId: hex(link, 1), spanId: hex(link, 2) })),
    status: (["UNSET", "OK", "ERROR"] as const)[number(status, 3)] ?? "UNSET",
    message: text(status, 2),
    resource,
    scope,
  };
}

const values = (message: Message, field: number): readonly Field[] => message.get(field) ?? [];
const bytes = (message: Message, field: number): Buffer => (values(message, field)[0] as Buffer) ?? NOTHING;
const messages = (message: Message, field: number): readonly Message[] =>
  values(message, field).map((value) => fieldsOf(value as Buffer));
const text = (message: Message, field: number): string => bytes(message, field).toString("utf8");
const hex = (message: Message, field: number): string => bytes(message, field).toString("hex");
const number = (message: Message, field: number): number => Number(values(message, field)[0] ?? 0n);
const fixed64 = (message: Message, field: number): bigint => bytes(message, field).readBigUInt64LE();

const NOTHING = Buffer.alloc(0);

const attributesOf = (message: Message, field: number): Attributes =>
  Object.fromEntries(
    messages(message, field).map((pair) => [text(pair, 1), anyValue(messages(pair, 2)[0] ?? new Map())]),
  );

/** An AnyValue: a text, a flag, a whole number, a number, or a list of such. */
function anyValue(value: Message): unknown {
  const [[kind, all] = [0, []]] = value;
  const [first] = all;
  switch (kind) {
    case 1:
      return String(first);
    case 2:
      return first === 1n;
    case 3:
      return Number(BigInt.asIntN(64, first as bigint));
    case 4:
      return (first as Buffer).readDoubleLE();
    case 5:
      return messages(fieldsOf(first as Buffer), 1).map(anyValue);
    default:
      return undefined;
  }
}
