// What a request holds that is not to be shown, as far as its route has looked at it: by
// what its schemas mark, and by names. Asked where something goes wrong, and what went
// wrong is told in a text that may have any of it.
//
//   SS1. Nothing is kept for it of a request, but the input where its schema says that it
//        holds a secret: that is decided when the route is mounted.
//   SS2. What lasts longer than its request, a connection of WebSocket or a feed, keeps of that
//        the headers that are secrets, and its path, its query and its input, each as a whole,
//        where that has one. Nothing of a request that has sent none.

import { type TSchema, Type } from "@sinclair/typebox";

import type { Report } from "#core/reporter.js";
import { isSensitiveName } from "#core/sensitive-names.js";
import { withoutCredentials } from "#schema/credential-text.js";
import { HiddenTexts } from "#schema/hidden-texts.js";
import { markedPlaces } from "#schema/marked-places.js";
import { offeredProtocols, offersProtocols } from "#schema/offered-protocols.js";
import { compileRedactor, type Redactor } from "#schema/redactor.js";
import { eachSchema } from "#schema/schema-tree.js";
import type { Reader } from "./extraction.js";
import type { Part } from "./extractor.js";
import { declaredInput } from "./input.js";
import type { Exchange } from "./native/exchange.js";
import { type Pattern, parametersOf } from "./pattern.js";
import { parseQuery } from "./query-string.js";
import { Refusal } from "./refusal.js";
import { reportIds } from "./report-ids.js";
import type { RouteDefinition } from "./route-definition.js";

/** Of one input. Looking at it takes time where requests fail, and they may fail on purpose. */
const MAX_BYTES = 65_536;

/** Texts of each source that are kept out of what is shown: as many in all as HiddenTexts takes. */
const MOST = { input: 32, keptInput: 8, path: 8, query: 8, headers: 16 } as const;

export type RequestReport = Pick<Report, "requestId" | "traceId" | "spanId" | "withoutSecrets">;

/** What reports say of a request. */
export type ReportOf = (exchange: Exchange) => RequestReport;

/** What of a request may hold a secret. */
interface Sent {
  /** Undefined where its schema says of none. */
  readonly input: unknown;
  readonly segments: readonly string[];
  readonly query: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** What is kept of a request by what lasts longer (SS2). */
export class KeptSecrets {
  readonly #tell: (sent: Sent, to: HiddenTexts, inputs: number) => void;
  readonly #sent: Sent;

  constructor(tell: (sent: Sent, to: HiddenTexts, inputs: number) => void, sent: Sent) {
    this.#tell = tell;
    this.#sent = sent;
  }

  /** Beside 24 others at most there is room for them. */
  addTo(hidden: HiddenTexts): void {
    this.#tell(this.#sent, hidden, MOST.keptInput);
  }
}

/** Shows texts without what is kept, and without what looks like a credential. */
export function withoutKept(secrets: KeptSecrets | null): (text: string) => string {
  if (secrets === null) return withoutCredentials;
  return shownWithout(() => {
    const hidden = new HiddenTexts();
    secrets.addTo(hidden);
    return hidden;
  });
}

export class SentSecrets {
  readonly #pattern: Pattern;
  readonly #headers: readonly string[];
  readonly #keepsInput: boolean;
  readonly #inputSchema: TSchema | undefined;
  /** Made when they are first needed: most routes never do. */
  #redactors: { readonly head: Redactor; readonly input: Redactor } | undefined;

  /** `headers` are those that the route reads, as an exchange keeps them. */
  constructor(route: RouteDefinition, headers: readonly string[]) {
    const input = declaredInput(route);
    this.#pattern = route.pattern;
    this.#headers = headers;
    this.#inputSchema = input && schemaOf(input);
    // Of a form without a schema nobody knows what fields it has.
    const isOpen = input?.kind === "multipart" && input.options.schema === undefined;
    this.#keepsInput = isOpen || (this.#inputSchema !== undefined && holdsSecrets(this.#inputSchema));
  }

  /** The same reader, which leaves what it has read with the request where that may hold a secret. */
  keeping(reader: Reader): Reader {
    if (!this.#keepsInput) return reader;
    return {
      ...reader,
      read: (request, body) => {
        const input = reader.read(request, body);
        return input instanceof Promise
          ? input.then((later) => kept(request as Exchange, later))
          : kept(request as Exchange, input);
      },
    };
  }

  /** The texts that a request has sent as secrets. Throws nothing. */
  of(exchange: Exchange): HiddenTexts {
    const hidden = new HiddenTexts();
    this.#tell(this.#sentIn(exchange), hidden, MOST.input);
    return hidden;
  }

  /** For what lasts longer than its request; null where that has sent nothing as a secret (SS2). */
  readonly secretsOf = (exchange: Exchange): KeptSecrets | null => {
    const { input: read, segments, query, headers } = this.#sentIn(exchange);
    const input = this.#hidesAny(read) ? read : undefined;
    const secret = Object.entries(headers).filter(([name, value]) => value !== "" && hasSecret(name, value));
    const sent: Sent = {
      input,
      segments: this.#pattern.names.some(isSensitiveName) ? segments : [],
      query: Object.keys(parametersIn(query)).some(isSensitiveName) ? query : undefined,
      headers: Object.fromEntries(secret),
    };
    const isNone =
      input === undefined && sent.segments.length === 0 && sent.query === undefined && secret.length === 0;
    return isNone ? null : new KeptSecrets(this.#tell, sent);
  };

  /** Whether an input has anything that is to be hidden: what its schema marks need not be there. */
  #hidesAny(input: unknown): boolean {
    if (input === undefined) return false;
    const hidden = new HiddenTexts();
    this.#compiled().input.redact(input, undefined, hidden);
    return hidden.texts.length > 0;
  }

  /** What a report says of its request, and how it is shown without what that has sent as a secret. */
  readonly reportOf: ReportOf = (exchange) => ({
    ...reportIds(exchange),
    withoutSecrets: shownWithout(() => this.of(exchange)),
  });

  #sentIn({ particulars, query, segments }: Exchange): Sent {
    const read = Object.fromEntries(this.#headers.map((name, i) => [name, particulars.headers[i] ?? ""]));
    return {
      input: this.#keepsInput ? particulars.input : undefined,
      segments,
      query,
      headers: { ...read, ...particulars.fields, ...particulars.head },
    };
  }

  // Each source has its share, beside what is there already.
  readonly #tell = ({ input, segments, query, headers }: Sent, hidden: HiddenTexts, inputs: number): void => {
    const redactors = this.#compiled();
    hidden.allow(inputs);
    if (input !== undefined) redactors.input.redact(input, undefined, hidden);
    hidden.allow(MOST.path);
    redactors.head.redact(parametersOf(this.#pattern, segments), undefined, hidden);
    hidden.allow(MOST.query);
    redactors.head.redact(parametersIn(query), undefined, hidden);
    const { cookie, ...others } = headers;
    hidden.allow(MOST.headers);
    redactors.head.redact(others, undefined, hidden);
    for (const line of [cookie].flat()) if (typeof line === "string") hidden.addCookies(line);
  };

  #compiled(): { readonly head: Redactor; readonly input: Redactor } {
    this.#redactors ??= {
      head: compileRedactor({ maxBytes: MAX_BYTES }),
      input: compileRedactor({
        maxBytes: MAX_BYTES,
        ...(this.#inputSchema !== undefined && { schema: this.#inputSchema }),
      }),
    };
    return this.#redactors;
  }
}

/** Of subprotocols those that no route declares. */
const hasSecret = (header: string, value: unknown): boolean =>
  isSensitiveName(header) ||
  (offersProtocols(header) && (typeof value !== "string" || offeredProtocols(value).secrets.length > 0));

/** Shows texts without those that are secret. Which these are is asked when the first is shown. */
export function shownWithout(secretsOf: () => HiddenTexts): (text: string) => string {
  let hidden: HiddenTexts | undefined;
  return (text) => {
    hidden ??= secretsOf();
    return withoutCredentials(hidden.masked(text));
  };
}

/** Of a query that cannot be read all is hidden. */
function parametersIn(query: string | undefined): object {
  try {
    const parameters = parseQuery(query);
    if (!(parameters instanceof Refusal)) return parameters;
  } catch {
    // The gate has not let it through.
  }
  return { secret: query };
}

function kept(exchange: Exchange, input: unknown): unknown {
  exchange.own().input = input;
  return input;
}

/** Undefined where nothing says what it is like. */
function schemaOf(part: Part): TSchema | undefined {
  if (part.kind === "combine") {
    const parts = Object.entries(part.parts).map(([name, inner]) => [
      name,
      schemaOf(inner) ?? Type.Unknown(),
    ]);
    return Type.Object(Object.fromEntries(parts));
  }
  if (part.kind !== "multipart") return "schema" in part ? part.schema : undefined;
  const { schema } = part.options;
  return schema && Type.Object({ fields: schema });
}

const mayBeSecret = (name: string): boolean => isSensitiveName(name) || offersProtocols(name);

/** Whether what is as the schema says has something that is not to be shown. */
export function holdsSecrets(schema: TSchema): boolean {
  if (markedPlaces(schema) !== undefined) return true;
  let holds = false;
  eachSchema(schema, (inner) => {
    const { properties } = inner as { readonly properties?: object };
    holds ||= properties !== undefined && Object.keys(properties).some(mayBeSecret);
  });
  return holds;
}
