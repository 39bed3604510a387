// Whose request it was that left a rejected promise behind, for `traceRejections`. Node.js
// watches every promise of the process from the first request here on, and none before.

import { AsyncLocalStorage, AsyncResource } from "node:async_hooks";

import type { NativeRequest, NativeResponse } from "./native/port.js";
import { clientRequestId, newRequestId } from "./request-id.js";

const requestIds = new AsyncLocalStorage<string>();

/** Takes a request so that what its steps leave behind knows whose it is. */
export function traced(
  response: NativeResponse,
  request: NativeRequest,
  take: (response: NativeResponse, requestId: string) => void,
): void {
  const requestId = clientRequestId(request.getHeader("x-request-id")) || newRequestId();
  requestIds.run(requestId, () => take(bound(response), requestId));
}

/** The id of the request that the promise belongs to which is being reported; undefined where it is not known. */
export const requestIdOfRejection = (): string | undefined => requestIds.getStore();

/** The engine calls these back out of nowhere: each is to run in the request that gave it. */
function bound(response: NativeResponse): NativeResponse {
  const { onData, onAborted } = response;
  response.onData = (handler) => onData.call(response, AsyncResource.bind(handler)) as NativeResponse;
  response.onAborted = (handler) => onAborted.call(response, AsyncResource.bind(handler)) as NativeResponse;
  return response;
}
