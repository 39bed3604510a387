// Mounts the page that shows the OpenAPI document of an ingress: the page itself, and its files.

import { existsSync } from "node:fs";
import { join } from "node:path";

import { type BusKey, busKey } from "#core/bus/bus-key.js";
import type { HttpIngress } from "#http/ingress/ingress.js";
import type { ExtensionSource, IngressPlan } from "#http/plan/ingress-plan.js";
import type { RouteOptions } from "#http/plan/ingress-types.js";
import {
  configInvalid,
  optionNames,
  requireKnown,
  requireLists,
  routeInvalid,
} from "#http/refusal/option-checks.js";
import { builtFolder } from "#http/static/built-folder.js";
import { DOCUMENT_KEY } from "../attach.js";
import { DocsPage, docsAxon } from "./docs-page.js";

export interface DocsOptions extends Pick<RouteOptions<void>, "guards" | "layers" | "without" | "iam"> {
  /**
   * Whether calls that the page makes carry the cookies of its origin, so that a session counts.
   * Default false: they carry what is entered under "Authorize", and nothing else.
   */
  readonly sendCookies?: boolean;
}

const OPTIONS = optionNames<DocsOptions>()("guards layers without iam sendCookies");

// biome-ignore lint/suspicious/noExplicitAny: whatever it provides and needs
type AnyIngress = HttpIngress<any, any>;

/** Throws CONFIG_INVALID, ROUTE_INVALID and ROUTE_CONFLICT. */
export function attachDocs(ingress: AnyIngress, path: string, options: DocsOptions = {}): void {
  const where = `docs('${path}')`;
  requireKnown(where, options, OPTIONS);
  requireLists(where, options, ["guards", "layers", "without"]);
  const { sendCookies = false, ...front } = options;
  if (typeof sendCookies !== "boolean") throw configInvalid(`sendCookies of ${where} is true or false`);
  if (/[:*]/.test(path)) throw routeInvalid(`${where}: its path has no parameters, as in "/docs"`);
  const assets = `${path.replace(/\/$/, "")}/assets`;
  const folder = join(builtFolder("openapi", "docs"), "assets");
  const isBuilt = existsSync(folder);
  const key = busKey<DocsPage>()(`docs:${path}`) as BusKey<DocsPage, string>;
  const page = { ...front, internal: true, summary: "The documentation" };
  ingress.get(path, docsAxon(key) as never, page as never);
  if (isBuilt)
    ingress.serveDir(assets as "/assets", folder, {
      ...front,
      immutable: /./,
      index: false,
      internal: true,
      summary: "The files of the documentation",
    } as never);
  const make = (plan: IngressPlan): DocsPage => {
    const document = documentPath(plan);
    if (document !== undefined)
      return new DocsPage({ path, assets, folder: isBuilt ? folder : undefined, document, sendCookies });
    throw configInvalid(
      `${where} shows the document of openapi(), which is not called: call openapi("/openapi.json")`,
    );
  };
  const { constants, extensions } = ingress.plan;
  ingress.plan = {
    ...ingress.plan,
    constants: [...constants, { key, make }],
    extensions: [...extensions, openness(where, options)],
  };
}

/** The path of the first document that is served; undefined without one. */
const documentPath = ({ constants }: IngressPlan): string | undefined =>
  constants.find(({ key }) => key.name.startsWith(DOCUMENT_KEY))?.key.name.slice(DOCUMENT_KEY.length);

/** Warns of a page that any client may read. An empty list of guards says that this is intended. */
const openness = (where: string, { guards, iam }: DocsOptions): ExtensionSource => ({
  load: () => undefined,
  make: () => ({
    name: "docs",
    start: ({ production, reporter, worker }) => {
      const isFirst = worker === undefined || worker.number === 1;
      if (production && isFirst && guards === undefined && iam === undefined)
        reporter({
          code: "DOCS_UNGUARDED",
          message: `${where} has neither guards nor iam: any client can read the documentation of this API and try its calls. Give it one of them, or guards: [] if it is public`,
        });
      return undefined;
    },
  }),
});
