// Compiled, never run: an unused @ts-expect-error fails the build. Each says what
// must not compile.

import {
  Axon,
  busKey,
  connectionOf,
  Framework,
  fault,
  guard,
  IamIdentity,
  IamPolicy,
  type IamVerifier,
  param,
  pass,
  RequestId,
  Type,
  WebSocketConnection,
  type WebSocketSession,
} from "framework";

const Plan = busKey<string>()("Plan");
const Unknown = busKey<string>()("Unknown");
const Move = Type.Object({ x: Type.Number() });
declare const verifier: IamVerifier;

const ingress = Framework.http().provide(Plan, () => "gold");
const planned = guard({ name: "planned", writes: [Unknown], run: (input) => pass(input) });
type Message = string | Uint8Array;

// A message is text or bytes, or what its schema says; the state is what `open` answers.
ingress.ws("/a", { message: (message) => message.length });
ingress.ws("/a", { schema: Move, message: ({ x }) => x + 1 });
ingress.ws("/a", { open: () => ({ n: 1 }), message: (_, { state }) => state.n + 1 });
ingress.ws("/a", { open: async () => ({ n: 1 }), message: (_, { state }) => state.n + 1 });
ingress.ws("/a", {
  open: ({ query }) => (query === undefined ? fault("no") : { n: 1 }),
  message: (_, { state }) => state.n + 1,
  close: ({ code }, { state }) => void (code + state.n),
});
// @ts-expect-error a message without a schema may be bytes
ingress.ws("/a", { message: (message) => message.toUpperCase() });
// @ts-expect-error the state has no such property
ingress.ws("/a", { open: () => ({ n: 1 }), message: (_, { state }) => state.m });
// @ts-expect-error there is no state where there is no open
ingress.ws("/a", { message: (_, { state }) => state.n });
// @ts-expect-error what the schema does not say is not there
ingress.ws("/a", { schema: Move, message: ({ y }) => y });
// @ts-expect-error without a message there is nothing to do
ingress.ws("/a", { open: () => 1 });

// Axons read what is provided, parameters of the path, what guards, identity and `open` write.
const reading = Axon.start<Message>("reading").thenFn(
  "read",
  (_, bus) => [bus.get(Plan), bus.get(param("id")), bus.get(RequestId), bus.get(WebSocketConnection).isOpen],
  { reads: [Plan, param("id"), RequestId, WebSocketConnection] },
);
ingress.ws("/b/:id", { message: reading });
// @ts-expect-error the path has no ':id'
ingress.ws("/b", { message: reading });
const stateful = Axon.start<Message>("stateful").thenFn(
  "read",
  (_, bus) => bus.get(connectionOf<{ n: number }>()).state.n,
  { reads: [connectionOf<{ n: number }>()] },
);
ingress.ws("/b", { open: () => ({ n: 1 }), message: stateful });
const foreign = Axon.start<Message>("foreign").thenFn("read", (_, bus) => bus.get(Unknown), {
  reads: [Unknown],
});
ingress.ws("/b", { guards: [planned], message: foreign });
// @ts-expect-error nobody writes 'Unknown'
ingress.ws("/b", { message: foreign });
const opening = Axon.start<WebSocketSession>("opening").thenFn(
  "write",
  ({ path }, bus) => {
    bus.set(Unknown, path);
    return 1;
  },
  { writes: [Unknown] },
);
ingress.ws("/b", { open: opening, message: foreign });
const who = Axon.start<Message>("who").thenFn("tell", (_, bus) => bus.get(IamIdentity).subject, {
  reads: [IamIdentity],
});
ingress.ws("/b", { iam: { policy: IamPolicy.requireIdentity(), verifier }, message: who });
// @ts-expect-error nobody is asked who it is
ingress.ws("/b", { message: who });

// An Axon checks its own input; one that wants something else does not fit.
const moving = Axon.start("moving", Move).thenFn("move", ({ x }) => ({ x }));
ingress.ws("/c", { message: moving });
const counting = Axon.start<number>("counting").thenFn("count", (n) => n + 1);
// @ts-expect-error messages are no numbers
ingress.ws("/c", { message: counting });
const echo = Axon.start<Message>("echo");
ingress.ws("/c", { message: echo });
