import type { FrameworkConfig } from "#config/config.js";
import type { BusView } from "#core/bus/bus.js";
import type { AnyKey, TypeOfKey } from "#core/bus/bus-key.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer, Layer } from "#core/flow/layer.js";
import { HttpIngress, type HttpOptions, type ProvideOptions } from "#http/ingress/ingress.js";
import type { FitFront, FitOptions, FrontWrites, OnePace, ProvidedTo } from "#http/plan/ingress-types.js";
import { attach, configure } from "#inspector/attach.js";
import type { InspectorOptions } from "#inspector/settings.js";
import { attach as attachDocument } from "#openapi/attach.js";
import { attachDocs, type DocsOptions } from "#openapi/docs/attach.js";
import type { OpenApiOptions } from "#openapi/open-api-options.js";

/** An HTTP server as it is declared, with its Inspector. Made by `Framework.http()`. */
export class FrameworkIngress<Provided extends AnyKey, Res extends AnyKey> extends HttpIngress<
  Provided,
  Res
> {
  /**
   * Serves the Inspector beside this ingress, at http://127.0.0.1:3001 where nobody says
   * otherwise: a page that shows circuits, runs and figures, and an API. On by default
   * outside production; there it needs `auth`. Throws CONFIG_INVALID; `run` rejects with
   * INSPECTOR_TOKEN_MISSING, and with START_FAILED where it cannot listen.
   */
  inspector(options?: InspectorOptions): this {
    attach(this, options);
    return this;
  }

  /**
   * Serves the OpenAPI 3.1 document of the mounted routes: `openapi("/openapi.json")`. Made once, when
   * the server begins. Throws CONFIG_INVALID, ROUTE_INVALID; `run` rejects with OPENAPI_INVALID for
   * what the document cannot say.
   */
  openapi(path: string, options?: OpenApiOptions): this {
    attachDocument(this, path, options);
    return this;
  }

  /**
   * Serves a page that shows the document of `openapi()` and tries its calls: `docs("/docs")`. Its
   * files come from this package, none from elsewhere. In production give it `guards` or `iam`,
   * with credentials that browsers send by themselves: a session, a cookie. Throws CONFIG_INVALID,
   * ROUTE_INVALID, ROUTE_CONFLICT; `run` rejects with CONFIG_INVALID without `openapi()`.
   */
  docs<const O extends DocsOptions>(
    path: string,
    options?: O & FitFront<O, ProvidedTo<"", Provided>> & FitOptions<O, DocsOptions>,
  ): this;
  docs(path: string, options?: DocsOptions): this {
    attachDocs(this, path, options);
    return this;
  }

  /** Also what it sets of the Inspector, which is served where `inspector.enabled` is set or `inspector()` is called. */
  override config(config: FrameworkConfig): this {
    super.config(config);
    configure(this, config);
    return this;
  }

  override provide<K extends AnyKey, R extends MaybePromise<TypeOfKey<K>>, Rd extends AnyKey = never>(
    key: K,
    make: (bus: BusView<Res | Rd>) => R & OnePace<R>,
    options?: ProvideOptions<K, Rd>,
  ): FrameworkIngress<Provided | K, Res> {
    // The same call: its check of the pace would be checked once more.
    super.provide(key, make as never, options);
    return this;
  }

  override guard<G extends AnyGuard>(
    guard: G & FitFront<{ readonly guards: readonly G[] }, ProvidedTo<"", Provided>>,
    ...others: readonly never[]
  ): FrameworkIngress<Provided | FrontWrites<{ readonly guards: readonly G[] }>, Res> {
    super.guard(guard, ...others);
    return this;
  }

  override layer<L extends AnyLayer>(
    layer: L & FitFront<{ readonly layers: readonly L[] }, ProvidedTo<"", Provided>>,
  ): FrameworkIngress<Provided | FrontWrites<{ readonly layers: readonly L[] }>, Res>;
  override layer(run: Layer["run"], ...others: readonly never[]): this;
  override layer(given: AnyLayer | Layer["run"], ...others: readonly never[]): this {
    super.layer(given as Layer["run"], ...others);
    return this;
  }

  /** @internal */
  protected override readsElsewhere(path: string): boolean {
    return /^(audit|inspector|persistence|redis)\./.test(path) || super.readsElsewhere(path);
  }
}

/** Makes an ingress: `Framework.http({ resources: [Db] })`. */
export function http<const Res extends readonly AnyKey[] = []>(
  options: HttpOptions<Res> = {},
): FrameworkIngress<Res[number], Res[number]> {
  return new FrameworkIngress(options);
}
