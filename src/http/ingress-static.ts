import type { AnyKey } from "#core/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import { assertHeaderValue } from "#core/header-syntax.js";
import { IngressLifecycle } from "./ingress-lifecycle.js";
import type { FitFront, FitOptions, Prefix, ProvidedTo } from "./ingress-types.js";
import type { ServeDirOptions } from "./static/folder-options.js";
import { declaredFallback, declaredFolder, type SpaFallbackOptions } from "./static/static-plan.js";

/** What is declared of files. A part of HttpIngress. */
export abstract class IngressStatic<Provided extends AnyKey, Res extends AnyKey> extends IngressLifecycle<
  Provided,
  Res
> {
  /**
   * Serves the files below a directory, for GET and HEAD: `serveDir("/assets", "dist/assets")`.
   * Conditional and range requests, `.br` and `.gz` beside a file, `index.html` for a
   * directory. What is no regular file below it, links followed, and every name that begins
   * with a dot, is 404. The directory is looked for by `run`, which rejects with
   * FILES_MISSING. Throws CONFIG_INVALID, ROUTE_INVALID, ROUTE_CONFLICT.
   */
  serveDir<const P extends Prefix, const O extends ServeDirOptions>(
    prefix: P,
    directory: string,
    options?: O & FitFront<O, ProvidedTo<`${P}/*path`, Provided>> & FitOptions<O, ServeDirOptions>,
  ): this;
  serveDir(prefix: string, directory: string, given: ServeDirOptions = {}): this {
    const { constant, routes, options } = declaredFolder(prefix, directory, given);
    for (const [path, axon] of routes) this.addRoute("GET", path, axon, options);
    this.plan = { ...this.plan, constants: [...this.plan.constants, constant] };
    return this;
  }

  /**
   * Answers with this file whoever goes to a page that no route serves: GET and HEAD with
   * `Accept: text/html`, of a path that ends as no file does and is not below an API's
   * prefix. It is 200 and "no-cache". Also where a directory served at "/" has no such file.
   */
  spaFallback<const O extends SpaFallbackOptions>(
    file: string,
    options?: O & FitFront<O, ProvidedTo<"/*path", Provided>> & FitOptions<O, SpaFallbackOptions>,
  ): this;
  spaFallback(file: string, options: SpaFallbackOptions = {}): this {
    if (this.plan.navigations !== undefined)
      throw new FrameworkError("ROUTE_INVALID", "spaFallback() was called twice: keep one of the two");
    const { constant, route } = declaredFallback(file, options);
    this.plan = { ...this.plan, navigations: route, constants: [...this.plan.constants, constant] };
    return this;
  }

  /**
   * The `cache-control` of files whose directory says none: "public, max-age=300". Default
   * "no-cache". Those with a hash in their name are immutable whatever it is.
   */
  staticCacheControl(value: string): this {
    assertHeaderValue("cache-control", value);
    this.plan = { ...this.plan, staticCacheControl: value };
    return this;
  }
}
