// What a request holds that is not to be shown, as far as its route has looked at it: by
// what its schemas mark, and by names. Asked where something goes wrong, and what went
// wrong is told in a text that may have any of it.
//
//   SS1. Nothing is kept for it of a request, but the input where its schema says that it
//        holds a secret: that is decided when the route is mounted.

import { type TSchema, Type } from "@sinclair/typebox";

import type { Report } from "#core/reporter.js";
import { isSensitiveName } from "#core/sensitive-names.js";
import { withoutCredentials } from "#schema/credential-text.js";
import { HiddenTexts } from "#schema/hidden-texts.js";
import { markedPlaces } from "#schema/marked-places.js";
import { compileRedactor, type Redactor } from "#schema/redactor.js";
import { eachSchema } from "#schema/schema-tree.js";
import type { Reader } from "./extraction.js";
import type { Part } from "./extractor.js";
import { declaredInput } from "./input.js";
import type { Exchange } from "./native/exchange.js";
import { type Pattern, parametersOf } from "./pattern.js";
import { parseQuery } from "./query-string.js";
import { reportIds } from "./report-ids.js";
import type { RouteDefinition } from "./route-definition.js";

/** Of one input. Looking at it takes time where requests fail, and they may fail on purpose. */
const MAX_BYTES = 65_536;

/** Texts of each source that are kept out of what is shown: as many in all as HiddenTexts takes. */
const MOST = { input: 32, path: 8, query: 8, headers: 16 } as const;

type RequestReport = Pick<Report, "requestId" | "traceId" | "spanId" | "withoutSecrets">;

/** What reports say of a request. */
export type ReportOf = (exchange: Exchange) => RequestReport;

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
    const { head, input } = this.#compiled();
    const hidden = new HiddenTexts();
    const { particulars, query, segments } = exchange;
    hidden.allow(MOST.input);
    if (this.#keepsInput) input.redact(particulars.input, undefined, hidden);
    hidden.allow(MOST.path);
    head.redact(parametersOf(this.#pattern, segments), undefined, hidden);
    hidden.allow(MOST.query);
    head.redact(parseQuery(query), undefined, hidden);
    const read = Object.fromEntries(this.#headers.map((name, i) => [name, particulars.headers[i]]));
    const { cookie, ...headers } = { ...read, ...particulars.fields, ...particulars.head };
    hidden.allow(MOST.headers);
    head.redact(headers, undefined, hidden);
    if (typeof cookie === "string") hidden.addCookies(cookie);
    return hidden;
  }

  /** What a report says of its request, and how it is shown without what that has sent as a secret. */
  readonly reportOf: ReportOf = (exchange) => {
    let hidden: HiddenTexts | undefined;
    return {
      ...reportIds(exchange),
      withoutSecrets: (text) => {
        hidden ??= this.of(exchange);
        return withoutCredentials(hidden.masked(text));
      },
    };
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

function holdsSecrets(schema: TSchema): boolean {
  if (markedPlaces(schema) !== undefined) return true;
  let holds = false;
  eachSchema(schema, (inner) => {
    const { properties } = inner as { readonly properties?: object };
    holds ||= properties !== undefined && Object.keys(properties).some(isSensitiveName);
  });
  return holds;
}
