import { after, before } from "node:test";

import type { HttpOptions, RunningServer } from "framework";

/** The options of an ingress, without keys of resources. */
export type Options = HttpOptions<readonly []>;

export interface Served {
  readonly address: string;
}

/** Runs an ingress in this process from before the first test of the file or suite until after its last. */
export function served<O extends Options>(
  ingress: (options: O) => { run(): Promise<RunningServer> },
  options?: NoInfer<O>,
): Served {
  let server: RunningServer;
  before(async () => {
    server = await ingress({ processGuards: false, ...options } as O).run();
  });
  after(() => server.close());
  return {
    get address() {
      return server.address;
    },
  };
}
