export interface BodyWatcher {
  /** Nobody reads any more. */
  readonly ended: () => void;
  /** What reading rejects with. */
  readonly failed: (cause: unknown) => unknown;
  readonly tooLarge: () => Error;
}

/** The same answer with a bounded body, whose end is told. Nothing of it is read before somebody asks for it. */
export function watchedBody(response: Response, maxBytes: number, watcher: BodyWatcher): Response {
  if (response.body === null) {
    watcher.ended();
    return response;
  }
  const reader = response.body.getReader();
  let bytes = 0;
  const next = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    const { done, value } = await reader.read();
    if (done) {
      watcher.ended();
      controller.close();
      return;
    }
    bytes += value.length;
    if (bytes > maxBytes) {
      await reader.cancel();
      throw watcher.tooLarge();
    }
    controller.enqueue(value);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => next(controller).catch((error) => controller.error(watcher.failed(error))),
      cancel(reason) {
        watcher.ended();
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
  const { status, statusText, headers } = response;
  return new Response(body, { status, statusText, headers });
}
