export function refusingEffects<T>(
  _step: {
    readonly node: string;
    readonly at: number;
    readonly onRefused?: (error: { readonly call: string }) => void;
  },
  run: () => T,
): T {
  return run();
}
