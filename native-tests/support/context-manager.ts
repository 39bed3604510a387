import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, context, ROOT_CONTEXT } from "@opentelemetry/api";

/** Calls it in a program that keeps OpenTelemetry's contexts, as one of its context managers does. */
export async function keepingContexts(use: () => Promise<void>): Promise<void> {
  const store = new AsyncLocalStorage<Context>();
  const manager = {
    active: () => store.getStore() ?? ROOT_CONTEXT,
    with: (active: Context, call: (...args: any[]) => any, self: any, ...args: any[]) =>
      store.run(active, () => call.apply(self, args)),
    bind: (_: Context, target: any) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager as never);
  try {
    await use();
  } finally {
    context.disable();
  }
}
