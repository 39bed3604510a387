import type { AnyKey } from "#core/bus-key.js";
import { Dispatcher } from "../dispatcher.js";
import { InFlight } from "../in-flight.js";
import type { HttpIngress } from "../ingress.js";
import type { RunArgs } from "../ingress-types.js";
import { MemoryRequest } from "./memory-request.js";
import { MemoryResponse } from "./memory-response.js";
import { TestResponse } from "./test-response.js";

export interface TestRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: Readonly<Record<string, string>>;
  /** Sent as application/json. */
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
  /** The client goes away when it fires; the call then rejects. */
  readonly signal?: AbortSignal;
}

/**
 * An ingress in a test: the same code as in production up to the native server,
 * and no port.
 *
 *     const app = new TestApp(ingress, { Db: fake });
 *     const response = await app.post("/orders", { json: order });
 */
export class TestApp<Res extends AnyKey> {
  readonly #dispatcher: Dispatcher;

  /** Throws what `run` would reject with, but for the address. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever it provides
  constructor(ingress: HttpIngress<any, Res>, ...[resources = {}]: RunArgs<Res>) {
    this.#dispatcher = new Dispatcher(ingress.plan, resources, new InFlight());
  }

  get(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("GET", target, request);
  }

  head(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("HEAD", target, request);
  }

  post(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("POST", target, request);
  }

  put(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("PUT", target, request);
  }

  patch(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("PATCH", target, request);
  }

  delete(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("DELETE", target, request);
  }

  options(target: string, request: TestRequest = {}): Promise<TestResponse> {
    return this.send("OPTIONS", target, request);
  }

  /** Sends a request with any method. Rejects where the server closes the connection unanswered. */
  send(method: string, target: string, request: TestRequest = {}): Promise<TestResponse> {
    const { signal } = request;
    const body = bodyOf(request);
    return new Promise((resolve, reject) => {
      const response = new MemoryResponse(() => {
        if (response.head.length > 0) resolve(new TestResponse(response.head, response.body));
        else reject(signal?.reason ?? new Error(`${method} ${target}: the connection was closed unanswered`));
      });
      signal?.addEventListener("abort", () => response.abort(), { once: true });
      const native = new MemoryRequest(method, target, headersOf(request, body));
      this.#dispatcher.handle(response, native, method);
      response.deliver(body);
    });
  }
}

function bodyOf({ json, body = "" }: TestRequest): Uint8Array {
  return Buffer.from(json === undefined ? body : JSON.stringify(json));
}

function headersOf(
  { headers, cookies, json }: TestRequest,
  body: Uint8Array,
): readonly (readonly [string, string])[] {
  const defaults: Record<string, string> = { host: "test.local" };
  if (body.length > 0) defaults["content-length"] = String(body.length);
  if (json !== undefined) defaults["content-type"] = "application/json";
  if (cookies !== undefined) {
    defaults["cookie"] = Object.entries(cookies)
      .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      .join("; ");
  }
  const given = Object.entries(headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.entries({ ...defaults, ...Object.fromEntries(given) });
}
