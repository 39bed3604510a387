import type { TestEvents } from "./test-events.js";
import type { TestRequest } from "./test-request.js";
import type { TestResponse } from "./test-response.js";

/** Sends requests: a TestApp, or a session of one. */
export abstract class TestClient {
  /**
   * Does not follow redirects. Rejects where the server closes the connection without a response,
   * and with the signal's reason.
   */
  abstract send(method: string, target: string, request?: TestRequest): Promise<TestResponse>;

  /** Reads a stream of events, as an `EventSource` does. Rejects with any other response. */
  abstract sse(target: string, request?: TestRequest): Promise<TestEvents>;

  get(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("GET", target, request);
  }

  head(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("HEAD", target, request);
  }

  post(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("POST", target, request);
  }

  put(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("PUT", target, request);
  }

  patch(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("PATCH", target, request);
  }

  delete(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("DELETE", target, request);
  }

  options(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("OPTIONS", target, request);
  }
}
