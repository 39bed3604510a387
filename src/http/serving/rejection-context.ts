// Finds the request of a rejected promise, for `traceRejections`. Every promise of the process is
// tracked from the first request on.

import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";
import { clientRequestId, newRequestId } from "../exchange/request-id.js";
import type { NativeRequest, NativeResponse } from "../native/port.js";

const requestIds = new AsyncLocalStorage<string>();

export function traced(
  response: NativeResponse,
  request: NativeRequest,
  take: (response: NativeResponse, requestId: string) => void,
): void {
  const requestId = clientRequestId(request.getHeader("x-request-id")) || newRequestId();
  requestIds.run(requestId, () => take(bound(response), requestId));
}

/** Undefined if unknown. */
export const requestIdOfRejection = (): string | undefined => requestIds.getStore();

/** Runs the engine's callbacks in the async context of their request, which the engine does not keep. */
function bound(response: NativeResponse): NativeResponse {
  const { onData, onAborted } = response;
  response.onData = (handler) => onData.call(response, AsyncResource.bind(handler)) as NativeResponse;
  response.onAborted = (handler) => onAborted.call(response, AsyncResource.bind(handler)) as NativeResponse;
  return response;
}
