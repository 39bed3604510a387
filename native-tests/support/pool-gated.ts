// A module for threads of the pool that is loaded once the test says so.

const gate = new BroadcastChannel("pool-gated");
await new Promise<void>((open) => {
  gate.onmessage = () => open();
  gate.postMessage("loading");
});
gate.close();

export const add = ({ a, b }: { readonly a: number; readonly b: number }): number => a + b;
