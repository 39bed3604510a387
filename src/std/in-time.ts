/** What `pending` resolves to; rejects after `ms`, and its late outcome is ignored. */
export const inTime = <T>(pending: PromiseLike<T>, ms: number): Promise<T> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`There was no answer within ${ms} ms`)), ms);
    const settle = (): void => clearTimeout(timer);
    Promise.resolve(pending).finally(settle).then(resolve, reject);
  });
