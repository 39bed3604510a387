// Requests inside the process, without a socket, which the Inspector sends.

import { MemoryRequest } from "../exchange/memory/memory-request.js";
import { MemoryResponse } from "../exchange/memory/memory-response.js";
import type { InProcessAnswer, InProcessRequest, Lines } from "../plan/extension.js";
import type { Dispatcher } from "./dispatcher.js";

const OWN = new Set(["host", "content-length", "transfer-encoding", "connection"]);

/** A response whose peer is this machine, also for an ingress that expects a proxy. */
class InProcessResponse extends MemoryResponse {
  override getProxiedRemoteAddress(): ArrayBuffer {
    return this.getRemoteAddress();
  }
}

/** Sends a request. `host` must be a host that the ingress serves. */
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
          // Not inside the write call that exceeded the limit.
          if (response.length > maxAnswerBytes) setImmediate(leave);
        },
      },
    );
    const request = new MemoryRequest(target, [["host", host], ...length, ...given]);
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
