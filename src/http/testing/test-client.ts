import type { TestEvents } from "./test-events.js";
import type { TestRequest } from "./test-request.js";
import type { TestResponse } from "./test-response.js";

/** Sends requests: a TestApp, or a session of a TestApp. */
export abstract class TestClient {
  /**
   * Sends a request. Does not follow redirects. Rejects if the server closes the connection without a
   * response, and with the signal's reason.
   */
  abstract send(method: string, target: string, request?: TestRequest): Promise<TestResponse>;

  /** Reads a stream of events like an `EventSource`. Rejects for any other response. */
  abstract sse(target: string, request?: TestRequest): Promise<TestEvents>;

  /** Sends a GET request, with query and headers in `request`, and resolves to the response. */
  get(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("GET", target, request);
  }

  /** Sends a HEAD request, and resolves to the response. */
  head(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("HEAD", target, request);
  }

  /** Sends a POST request, with its body as `json`, `form`, `multipart` or `body`, and resolves to the response. */
  post(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("POST", target, request);
  }

  /** Sends a PUT request, and resolves to the response. */
  put(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("PUT", target, request);
  }

  /** Sends a PATCH request, and resolves to the response. */
  patch(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("PATCH", target, request);
  }

  /** Sends a DELETE request, and resolves to the response. */
  delete(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("DELETE", target, request);
  }

  /** Sends an OPTIONS request, and resolves to the response. */
  options(target: string, request?: TestRequest): Promise<TestResponse> {
    return this.send("OPTIONS", target, request);
  }
}
