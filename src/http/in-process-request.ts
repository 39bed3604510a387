// A request that comes from the process itself, over no socket: what the Inspector relays.

import type { Dispatcher } from "./dispatcher.js";
import { MemoryRequest } from "./testing/memory-request.js";
import { MemoryResponse } from "./testing/memory-response.js";

type Lines = readonly (readonly [string, string])[];

export interface InProcessRequest {
  readonly method: string;
  /** Path and query, from the "/" on. */
  readonly target: string;
  /** Names in any case. Host and framing are its own. Whoever lets strangers choose them checks them. */
  readonly headers?: Lines | undefined;
  readonly body?: Uint8Array | undefined;
  /** The id of the request, by which its run is found (`TracedRun.request`). Default: as for any request. */
  readonly requestId?: string | undefined;
  /** Goes away when it fires. */
  readonly signal?: AbortSignal | undefined;
  /** Goes away when the answer's body is larger: a stream may have no end. Default 1 MiB. */
  readonly maxAnswerBytes?: number | undefined;
}

export interface InProcessAnswer {
  /** 0 where there was no answer. */
  readonly status: number;
  readonly headers: Lines;
  /** As it was sent, its content coding included. */
  readonly body: Uint8Array;
  /** Whether the answer came to its end. */
  readonly isWhole: boolean;
}

const OWN = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** Stands for a connection from this machine, behind whatever proxy the ingress expects. */
class InProcessResponse extends MemoryResponse {
  override getProxiedRemoteAddress(): ArrayBuffer {
    return this.getRemoteAddress();
  }
}

/** `host` is what the ingress is called. */
export function sendInProcess(
  dispatcher: Dispatcher,
  host: string,
  { method, target, headers = [], body, requestId, signal, maxAnswerBytes = 1_048_576 }: InProcessRequest,
): Promise<InProcessAnswer> {
  const given = headers.filter(([name]) => !OWN.has(name.toLowerCase()));
  const length: Lines = body === undefined ? [] : [["content-length", String(body.length)]];
  return new Promise((resolve) => {
    const leave = (): void => response.abort();
    const response = new InProcessResponse(
      () => {
        signal?.removeEventListener("abort", leave);
        resolve(answerOf(response));
      },
      undefined,
      {
        leave,
        take: () => {
          // In a turn of its own: it is being written to.
          if (response.length > maxAnswerBytes) setImmediate(leave);
        },
      },
    );
    const request = new MemoryRequest(method, target, [["host", host], ...length, ...given]);
    dispatcher.handle(response, request, method, requestId);
    signal?.addEventListener("abort", leave, { once: true });
    if (signal?.aborted === true) leave();
    else if (body !== undefined && body.length > 0) response.deliver(body, true);
  });
}

function answerOf({ head, body, isWhole }: MemoryResponse): InProcessAnswer {
  const [status = "0", ...lines] = head;
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return { status: Number(status.slice(0, 3)), headers, body, isWhole };
}
