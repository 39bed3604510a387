// Compiled, never run: an unused @ts-expect-error fails the build.
import { Type } from "@sinclair/typebox";
import { Axon, busKey, type Fault, transition, workerModule, workerTransition } from "framework";
import type { ErrorsOf, OutOf } from "#runtime/axon/axon-flow.js";

type Is<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
const yes = <T extends true>(): T => true as T;

const work = workerModule<typeof import("../support/pool-work.js")>(
  new URL("../support/pool-work.js", import.meta.url),
);
const add = workerTransition({ name: "add", module: work, export: "add" });

// The answer and the faults are those of the function.
const sum = Axon.start<{ a: number; b: number }>("sum").offload(add);
yes<Is<OutOf<typeof sum>, number>>();
const declined = sum.offload(workerTransition({ name: "decline", module: work, export: "decline" }));
yes<Is<OutOf<typeof declined>, number>>();
yes<Is<ErrorsOf<typeof declined>, { readonly code: "DECLINED"; readonly n: number }>>();
yes<Is<Extract<Awaited<ReturnType<(typeof add)["run"]>>, Fault<unknown>>, never>>();

// It is a step as others are.
Axon.start<{ a: number; b: number }>("sum")
  .then(add)
  .thenFn("twice", (n) => n * 2);

// @ts-expect-error the module exports no such function
workerTransition({ name: "no", module: work, export: "nope" });
// @ts-expect-error a constant is no function
workerTransition({ name: "no", module: work, export: "answer" });
// @ts-expect-error the function takes two numbers
Axon.start<string>("text").offload(add);
// @ts-expect-error a module whose types are not said has no functions
workerTransition({ name: "no", module: workerModule(new URL("file:///work.js")), export: "add" });
// @ts-expect-error the function reads Greeting, and the step does not say so
workerTransition({ name: "greet", module: work, export: "greet" });
const Greeting = busKey<string>()("Greeting");
workerTransition({ name: "greet", module: work, export: "greet", reads: [Greeting] });
// @ts-expect-error the function wants a text under Greeting
workerTransition({ name: "greet", module: work, export: "greet", reads: [busKey<number>()("Greeting")] });

const Sum = Type.Object({ a: Type.Number(), b: Type.Number() });
workerTransition({ name: "add", module: work, export: "add", input: Sum, output: Type.Number() });
// @ts-expect-error the schema allows what the function does not take
workerTransition({ name: "add", module: work, export: "add", input: Type.String() });
// @ts-expect-error the function answers what the schema does not allow
workerTransition({ name: "add", module: work, export: "add", output: Type.String() });

// @ts-expect-error a step that works on the event loop
Axon.start<number>("n").offload(transition({ name: "here", run: (n: number) => n }));
