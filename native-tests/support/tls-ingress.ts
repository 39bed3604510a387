// A server with TLS, alone or with workers.

import { Axon, Framework } from "framework";

interface Files {
  readonly cert: string;
  readonly key: string;
}

export const ingress = ({ cert, key, other, workers = 1 }: Files & { other?: Files; workers?: number }) =>
  Framework.http()
    .bind("127.0.0.1:0")
    .workers(workers)
    .drainIdle(0)
    .tls(cert, key, { names: other === undefined ? {} : { "b.example": other }, checkEveryMs: 50 })
    .get(
      "/",
      Axon.start("hello").thenFn("greet", () => "hello"),
    );
