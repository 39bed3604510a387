// A document as it is served: written once when the server begins, compressed once when a client first
// takes gzip.

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { type Reply, respond } from "#core/bus/reply.js";
import { matchesWeakly, parseEntityTags } from "#core/wire/entity-tag.js";
import { chosenCoding, parseAcceptEncoding } from "#http/answer/accept-encoding.js";
import { routeInfos } from "#http/description/route-infos.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { described } from "./describe.js";
import { documentOf } from "./document.js";
import { jsonText } from "./document-text.js";
import type { DocumentOptions, OpenApiDocument } from "./open-api-options.js";

const compress = promisify(gzip);

export class ServedDocument {
  readonly #plan: IngressPlan;
  readonly #options: DocumentOptions;
  readonly #text: Buffer;
  readonly #mark: string;
  #gzip: Promise<Buffer> | undefined;

  /** Throws OPENAPI_INVALID. */
  constructor(plan: IngressPlan, options: DocumentOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#text = Buffer.from(jsonText(this.written()));
    this.#mark = createHash("sha256").update(this.#text).digest("base64url").slice(0, 22);
  }

  /** As data; `internals` in place of what the options say. */
  written(internals = this.#options.internals ?? false): OpenApiDocument {
    return documentOf(described(routeInfos(this.#plan)), { ...this.#options, internals });
  }

  async answer(
    acceptEncoding: string,
    ifNoneMatch: string | undefined,
  ): Promise<Reply<Uint8Array | undefined>> {
    const coding = chosenCoding(parseAcceptEncoding(acceptEncoding), ["gzip"]);
    const tags = [`"${this.#mark}"`, `"${this.#mark}-gzip"`];
    const headers = {
      etag: tags[coding === undefined ? 0 : 1] as string,
      "cache-control": "no-cache",
      vary: "accept-encoding",
    };
    const asked = ifNoneMatch === undefined ? [] : (parseEntityTags(ifNoneMatch) ?? []);
    // Of either coding: it is the same document.
    if (asked === "*" || asked.some((one) => tags.some((tag) => matchesWeakly(one, tag))))
      return respond({ status: 304, headers });
    const typed = { ...headers, "content-type": "application/json" };
    if (coding === undefined) return respond({ headers: typed, body: this.#text });
    this.#gzip ??= compress(this.#text);
    return respond({ headers: { ...typed, "content-encoding": coding }, body: await this.#gzip });
  }
}
