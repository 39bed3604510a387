import { type BusKey, busKey } from "#core/bus/bus-key.js";
import { header } from "#core/facts/ingress-facts.js";
import type { HttpIngress } from "#http/ingress/ingress.js";
import type { ExtensionSource, PlannedConstant } from "#http/plan/ingress-plan.js";
import { Axon } from "#runtime/axon/axon.js";
import { type OpenApiOptions, requireOpenApiOptions } from "./open-api-options.js";
import type { ServedDocument } from "./served-document.js";

// biome-ignore lint/suspicious/noExplicitAny: whatever it provides and needs
type AnyIngress = HttpIngress<any, any>;

const ACCEPT_ENCODING = header("accept-encoding");
const IF_NONE_MATCH = header("if-none-match");

/** What the name of a document's key begins with, before its path. */
export const DOCUMENT_KEY = "openapi:";

type ServedModule = typeof import("./served-document.js");
let loaded: ServedModule | undefined;

const source: ExtensionSource = {
  load: () =>
    loaded === undefined
      ? import("./served-document.js").then((module) => {
          loaded = module;
        })
      : undefined,
  make: () => ({ name: "OpenAPI" }),
};

/** Serves the OpenAPI document of an ingress. Throws CONFIG_INVALID and ROUTE_INVALID. */
export function attach(ingress: AnyIngress, path: string, options: OpenApiOptions = {}): void {
  requireOpenApiOptions(path, options);
  const { guards, iam, ...about } = options;
  const key = busKey<ServedDocument>()(`${DOCUMENT_KEY}${path}`) as BusKey<ServedDocument, string>;
  const axon = Axon.start<void>("openapi").thenFn(
    "document",
    (_, bus) => bus.get(key).answer(bus.find(ACCEPT_ENCODING) ?? "", bus.find(IF_NONE_MATCH)),
    { reads: [key], mayRead: [ACCEPT_ENCODING, IF_NONE_MATCH], responses: [{ status: 304 }] },
  );
  ingress.get(
    path,
    axon as never,
    { internal: true, ...(guards && { guards }), ...(iam && { iam }) } as never,
  );
  const constant: PlannedConstant = {
    key,
    make: (plan) => new (loaded as ServedModule).ServedDocument(plan, about),
  };
  const { constants, extensions } = ingress.plan;
  ingress.plan = {
    ...ingress.plan,
    constants: [...constants, constant],
    extensions: extensions.includes(source) ? extensions : [...extensions, source],
  };
}
