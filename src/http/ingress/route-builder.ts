import type { TSchema } from "@sinclair/typebox";
import type { AnyKey } from "#core/bus/bus-key.js";
import { FrameworkError } from "#core/errors.js";
import type { AnyGuard } from "#core/flow/guard.js";
import type { AnyLayer } from "#core/flow/layer.js";
import { readRow } from "#core/wire/route-row.js";
import type { AnyAxon } from "#runtime/axon/axon-types.js";
import type {
  FitFront,
  FitOptions,
  FrontWrites,
  GroupOptions,
  Mountable,
  MountableTable,
  NoOptions,
  OptionsFor,
  PathOf,
  Prefix,
  ProvidedTo,
  RouteOptions,
} from "../plan/ingress-types.js";
import type { RouteIam } from "../plan/route-iam.js";
import { requireGroupOptions, requireRouteOptions } from "../plan/route-options.js";
import { configInvalid, requireFunction, routeInvalid } from "../refusal/option-checks.js";
import { type AnswersEvents, type EventOptionsFor, eventRoute, type RoutePart } from "../sse/event-route.js";
import {
  type ConnectionKeys,
  frontOf,
  type WebSocketFlow,
  type WebSocketFront,
  webSocketMount,
} from "../websocket/flow.js";

export type AddRoute = (
  method: string,
  path: string,
  axon: unknown,
  options: RouteOptions<unknown> | undefined,
  /** Options of groups, the outermost first. */
  groups?: readonly GroupOptions[],
) => void;

export abstract class RouteBuilder<Provided extends AnyKey, Before extends Prefix> {
  /** @internal */
  protected abstract readonly addRoute: AddRoute;

  /** Mounts an Axon under GET, and HEAD where no route has it. Its input schema is of path and query, unless `input` says otherwise. */
  get<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("GET", path, axon, options);
  }

  /** Mounts an Axon under HEAD. Without it the GET route serves HEAD. */
  head<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("HEAD", path, axon, options);
  }

  /** Mounts an Axon under POST. Its input schema is of the JSON body, unless `input` says otherwise. */
  post<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("POST", path, axon, options);
  }

  /** Mounts an Axon under PUT. Its input schema is of the JSON body, unless `input` says otherwise. */
  put<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("PUT", path, axon, options);
  }

  /** Mounts an Axon under PATCH. Its input schema is of the JSON body, unless `input` says otherwise. */
  patch<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("PATCH", path, axon, options);
  }

  /** Mounts an Axon under DELETE. Its input schema is of path and query, unless `input` says otherwise. */
  delete<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("DELETE", path, axon, options);
  }

  /** Mounts an Axon under OPTIONS. Its input schema is of path and query, unless `input` says otherwise. */
  options<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    return this.#add("OPTIONS", path, axon, options);
  }

  /**
   * Mounts an Axon whose output is events, under GET as text/event-stream for an `EventSource`:
   * `channel.subscribe()`, an async iterable of events, or a function that makes one. undefined is
   * sent as 204. After a 204 or a fault a browser does not reconnect.
   */
  sse<const P extends string, A, O extends EventOptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${P}`, Provided>, RoutePart<O>> & AnswersEvents<A>,
    options?: O & EventOptionsFor<A>,
  ): this {
    const route = eventRoute(path, axon as AnyAxon, options);
    return this.#add("GET", path, route.axon, route.options);
  }

  /** Mounts an Axon under GET, or under a leading method: `"POST /orders"`. */
  route<const P extends string, A, O extends OptionsFor<A> = NoOptions>(
    path: P,
    axon: A & Mountable<A, ProvidedTo<`${Before}${PathOf<P>}`, Provided>, O>,
    options?: O & OptionsFor<A>,
  ): this {
    const [, method = "GET", text = path] = /^(\S+) +(\S.*)$/.exec(path) ?? [];
    return this.#add(method, text, axon, options);
  }

  /**
   * Serves WebSocket at the path. `open` admits a client and returns the connection's state; `message`
   * runs for each message, sequentially; `close` runs once at the end.
   *
   *     ingress.ws("/echo", { message: (message) => message });
   */
  ws<
    const P extends string,
    S extends TSchema = never,
    State = undefined,
    G extends AnyGuard = never,
    L extends AnyLayer = never,
    I extends RouteIam = never,
    O = unknown,
  >(
    path: P,
    flow: WebSocketFlow<State, S, ProvidedTo<`${Before}${P}`, Provided> | ConnectionKeys<G, L, I, O>> &
      WebSocketFront<G, L, I, O>,
  ): this {
    return this.#add("GET", path, webSocketMount(path, flow), frontOf(flow));
  }

  /** Mounts the rows of a table, such as `routes` makes, below the prefix: `mount(api, "/v1")`. The row of `/` is at the prefix itself. */
  mount<const T extends object, const P extends Prefix = "">(
    table: T & MountableTable<T, `${Before}${P}`, Provided>,
    prefix?: P,
  ): this {
    mountTable(table, prefix ?? "", (...row) => this.addRoute(...row));
    return this;
  }

  /**
   * Routes under a prefix that share guards, layers and limits:
   *
   *     ingress.group("/admin", { guards: [officeHours] }, (admin) => admin.get("/orders", orders));
   *
   * A route's own options override those of its group; guards and layers add up.
   */
  group<const P extends Prefix, const O extends GroupOptions>(
    prefix: P,
    options: O & FitFront<O, ProvidedTo<`${Before}${P}`, Provided>> & FitOptions<O, GroupOptions>,
    declare: (group: RouteGroup<Provided | FrontWrites<O>, `${Before}${P}`>) => unknown,
  ): this {
    if (typeof options === "function" && declare === undefined)
      throw configInvalid(
        `group('${prefix}', declare) leaves its options out: write group('${prefix}', {}, declare)`,
      );
    requireFunction(`declare of group '${prefix}'`, declare);
    declare(new RouteGroup(prefix, options, this.addRoute));
    return this;
  }

  #add(...route: Parameters<AddRoute>): this {
    this.addRoute(...route);
    return this;
  }
}

/** The routes of one `group`. */
export class RouteGroup<Provided extends AnyKey, Before extends Prefix> extends RouteBuilder<
  Provided,
  Before
> {
  /** @internal */
  protected override readonly addRoute: AddRoute;

  /** @internal */
  constructor(prefix: string, group: GroupOptions, addRoute: AddRoute) {
    super();
    requireGroupOptions(`group '${prefix}'`, group);
    const { guards: _guards, without: _without, layers = [], tags = [], ...limits } = group;
    this.addRoute = (method, path, axon, options = {}, groups = []) => {
      requireRouteOptions(`${method} ${path}`, options);
      addRoute(
        method,
        underPrefix(prefix, path),
        axon,
        {
          ...limits,
          ...options,
          layers: [...layers, ...(options.layers ?? [])],
          tags: [...tags, ...(options.tags ?? [])],
        },
        [group, ...groups],
      );
    };
  }
}

/** Errors name the row. */
function mountTable(table: unknown, prefix: string, mount: AddRoute): void {
  if (typeof table !== "object" || table === null) {
    throw routeInvalid(
      `mount() was given no table of routes: write one, as in routes({ "GET /orders/:id": axon })`,
    );
  }
  for (const [row, value] of Object.entries(table)) {
    const { method, path } = readRow(row);
    const [axon, options] = Array.isArray(value) ? value : [value];
    try {
      mount(method, underPrefix(prefix, path), axon, options);
    } catch (cause) {
      if (!(cause instanceof FrameworkError)) throw cause;
      throw new FrameworkError(cause.code, `Row '${row}': ${cause.message}`, { cause });
    }
  }
}

// Without this, "/orders/" would be another path.
function underPrefix(prefix: string, path: string): string {
  if (prefix !== "" && path !== "" && !path.startsWith("/")) {
    throw routeInvalid(`Path '${path}' behind '${prefix}': begin it with '/'`);
  }
  return prefix !== "" && path === "/" ? prefix : `${prefix}${path}`;
}
