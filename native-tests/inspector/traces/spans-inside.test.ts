import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import {
  context,
  createContextKey,
  ROOT_CONTEXT,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { TracerProvider } from "@opentelemetry/sdk-trace";

import { Axon, BearerAuth, Framework, layer, path, TraceContext, Type } from "framework";
import { type HttpIngress, TestApp } from "framework/http";
import { type InspectorOptions, inspectorOf } from "framework/inspector";
import type { InnerRow, Trace } from "#inspector/api/traces.js";
import { isPlaced } from "#telemetry/tracing/inner-places.js";
import { traced } from "../../support/traced-server.js";

const OPERATOR = "operator-token-0123456789";
const headers = { host: "localhost", authorization: `Bearer ${OPERATOR}` };
const auth = BearerAuth.tokens({ operator: OPERATOR });
const Row = Type.Object({ id: Type.String() });

const tracer = () => trace.getTracer("program");

/** A step that asks a database, by an instrumentation that finds its place by the active context. */
const asking = Axon.start("shop").thenFn("ask", async () => {
  await turn();
  return tracer().startActiveSpan(
    "pg.query SELECT",
    {
      attributes: {
        "db.system.name": "postgresql",
        "db.query.text": "SELECT 'planted'",
        password: "planted",
      },
    },
    async (outer) => {
      await turn();
      tracer().startSpan("connect").end();
      outer.setAttribute("db.response.returned_rows", 3);
      outer.end();
      return outer.isRecording();
    },
  );
});

/** As a program that is told its place makes one. */
const told = Axon.start("bakery").thenFn("bake", { uses: { at: TraceContext } }, (_, { at }) => {
  const { traceId, spanId, sampled } = at;
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  const step = trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags });
  tracer()
    .startSpan("heat", { attributes: { degrees: 220 } }, step)
    .end();
  return 1;
});

type Ingress = HttpIngress<never, never>;
type Ask = (path: string) => Promise<any>;
type Use = (
  get: (path: string) => Promise<{ readonly json: unknown }>,
  newest: () => Promise<Trace>,
  ask: Ask,
) => Promise<void>;

const on = (options: InspectorOptions = {}): InspectorOptions => ({ enabled: true, auth, ...options });

/** The service of this ingress, with its Inspector, both in memory. */
async function shown(ingress: Ingress, use: Use): Promise<void> {
  const app = new TestApp(ingress);
  await app.start();
  const { app: inspector } = inspectorOf(ingress);
  const ask: Ask = async (path) => ((await inspector.get(path, { headers })).json as { data: unknown }).data;
  const newest = async (): Promise<Trace> => {
    const { traces } = await ask("/api/v1/traces");
    return ask(`/api/v1/traces/${traces[0].run_id}`);
  };
  try {
    await use((path) => app.get(path), newest, ask);
  } finally {
    await app.close();
    await inspector.close();
  }
}

const rowsOf = ({ nodes }: Trace): readonly InnerRow[] => nodes.flatMap(({ inner }) => inner ?? []);
const inShort = (one: Trace) => rowsOf(one).map(({ kind, name, depth }) => [kind, name, depth]);

// Other files of this process may have left a provider.
before(() => {
  trace.disable();
  context.disable();
});

describe("spans of OpenTelemetry with inspector({ spans: true })", () => {
  test("are rows of the step in which they were made, each below the one around it", async () => {
    await shown(
      Framework.http()
        .get("/", asking)
        .inspector(on({ spans: true })),
      async (get, newest) => {
        await get("/");
        const [outer, inner] = rowsOf(await newest());

        assert.deepEqual(inShort(await newest()), [
          ["span", "pg.query SELECT", 0],
          ["span", "connect", 1],
        ]);
        assert.ok(outer !== undefined && inner !== undefined);
        assert.ok(outer.from_us <= inner.from_us && !outer.is_open && !inner.is_open);
        assert.deepEqual(outer.attributes, {
          "db.system.name": "postgresql",
          password: "[redacted]",
          "db.response.returned_rows": 3,
        });
        assert.deepEqual(outer.withheld, ["db.query.text"]);
      },
    );
  });

  test("have the text of a statement with capture full, and no secret", async () => {
    const options = { spans: true, capturePayloads: "full" } as const;
    await shown(Framework.http().get("/", asking).inspector(on(options)), async (get, newest) => {
      await get("/");
      const [outer] = rowsOf(await newest());

      assert.deepEqual(outer?.attributes, {
        "db.system.name": "postgresql",
        "db.query.text": "SELECT 'planted'",
        password: "[redacted]",
        "db.response.returned_rows": 3,
      });
    });
  });

  test("are found by the trace context of a step, too", async () => {
    await shown(
      Framework.http()
        .get("/", told)
        .inspector(on({ spans: true })),
      async (get, newest) => {
        await get("/");

        assert.deepEqual(inShort(await newest()), [["span", "heat", 0]]);
        assert.deepEqual(rowsOf(await newest())[0]?.attributes, { degrees: 220 });
      },
    );
  });

  test("are each in their own run, where runs overlap", async () => {
    const axon = Axon.start("named", Row).thenFn("name", async ({ id }) => {
      await turn();
      tracer().startSpan(id).end();
      return 1;
    });
    await shown(
      Framework.http()
        .get("/:id", axon, { input: path(Row) })
        .inspector(on({ spans: true })),
      async (get, _, ask) => {
        await Promise.all(["a", "b", "c"].map((id) => get(`/${id}`)));
        const { traces } = await ask("/api/v1/traces");
        const names: string[][] = [];
        for (const { run_id } of traces)
          names.push(rowsOf(await ask(`/api/v1/traces/${run_id}`)).map(({ name }) => name));

        assert.deepEqual(names.sort(), [["a"], ["b"], ["c"]]);
      },
    );
  });

  test("have the code of a failure, and a text in its place is not shown", async () => {
    const axon = Axon.start("failing").thenFn("fail", () => {
      for (const type of ["ECONNREFUSED", "no such user: planted"]) {
        const span = tracer().startSpan("call", { attributes: { "error.type": type } });
        span.setStatus({ code: SpanStatusCode.ERROR, message: "planted" });
        span.end();
      }
      return 1;
    });
    await shown(
      Framework.http()
        .get("/", axon)
        .inspector(on({ spans: true })),
      async (get, newest) => {
        await get("/");

        assert.deepEqual(
          rowsOf(await newest()).map(({ failed }) => failed),
          ["ECONNREFUSED", "failed"],
        );
      },
    );
  });

  test("have nothing of another request in whose context their step goes on", async () => {
    const KEY = createContextKey("whose");
    const held: (() => void)[] = [];
    const queue = layer({
      name: "queue",
      run: (_, next) =>
        held.length > 0 ? next() : new Promise((resolve) => held.push(() => resolve(next()))),
    });
    const seen: unknown[] = [];
    const waiting = Axon.start("waiting").thenFn("see", () => seen.push(context.active().getValue(KEY)));
    const releasing = Axon.start("releasing").thenFn("release", () => {
      context.with(context.active().setValue(KEY, "the other's"), () => held[0]?.());
      return 1;
    });
    const ingress = Framework.http().layer(queue).get("/wait", waiting).get("/go", releasing);
    await shown(ingress.inspector(on({ spans: true })), async (get) => {
      const waits = get("/wait");
      while (held.length === 0) await turn();
      await get("/go");
      await waits;
    });

    assert.deepEqual(seen, [undefined]);
  });

  test("that are made afterwards stand where they were", async () => {
    const axon = Axon.start("late").thenFn("late", async () => {
      const startTime = Date.now() - 500;
      tracer()
        .startSpan("before", { startTime })
        .end(startTime + 200);
      return 1;
    });
    await shown(
      Framework.http()
        .get("/", axon)
        .inspector(on({ spans: true })),
      async (get, newest) => {
        await get("/");
        const [row] = rowsOf(await newest());

        assert.equal(row?.from_us, 0);
        assert.equal(row?.duration_us, 200_000);
      },
    );
  });

  test("are not made in a run that is not recorded, and nothing is left when the server stops", async () => {
    await shown(
      Framework.http()
        .get("/", asking)
        .inspector(on({ spans: true, sampleRatio: 0 })),
      async (get) => {
        assert.equal((await get("/")).json, false);
      },
    );

    assert.equal(
      context.with(ROOT_CONTEXT.setValue(Symbol.for("x"), 1), () => context.active()),
      ROOT_CONTEXT,
    );
    assert.equal(trace.setGlobalTracerProvider(new TracerProvider()), true);
    trace.disable();
  });

  test("are refused beside a tracer provider of the program, which would not show them", async () => {
    trace.setGlobalTracerProvider(new TracerProvider());
    try {
      await assert.rejects(
        shown(
          Framework.http()
            .get("/", asking)
            .inspector(on({ spans: true })),
          async () => {},
        ),
        /CONFIG_INVALID|a tracer provider of its own/,
      );
    } finally {
      trace.disable();
    }
  });

  test("are switched on by true alone", () => {
    const options: object = { spans: "yes" };

    assert.throws(() => Framework.http().inspector(options), /spans is true or false/);
  });
});

/** Whether the place of a step is known while it runs, and when its run is over. */
async function placed(config?: Parameters<ReturnType<typeof Framework.http>["config"]>[0]) {
  let spanId = "";
  let isThere = false;
  const axon = Axon.start("at").thenFn("at", { uses: { at: TraceContext } }, (_, { at }) => {
    spanId = at.spanId;
    isThere = isPlaced(spanId);
    return 1;
  });
  const bare = config === undefined ? Framework.http() : Framework.http().config(config);
  await shown(bare.get("/", axon).inspector(on({ spans: config === undefined })), async (get) => {
    await get("/");
  });
  return { isThere, isLeft: isPlaced(spanId) };
}

describe("the place of a step", () => {
  test("is forgotten with its run", async () => {
    assert.deepEqual(await placed(), { isThere: true, isLeft: false });
  });

  test("is forgotten with its trace, where traces are sent", async () => {
    await traced("", async ({ config }) => {
      assert.deepEqual(await placed(config), { isThere: true, isLeft: false });
    });
    trace.disable();
  });
});

describe("spans of OpenTelemetry where traces are sent", () => {
  test("are rows of a sampled run without a context manager, and are sent as before", async () => {
    await traced("", async ({ config, spans }) => {
      await shown(Framework.http().config(config).get("/", told).inspector(on({})), async (get, newest) => {
        await get("/");

        assert.deepEqual(inShort(await newest()), [["span", "heat", 0]]);
        const sent = await spans();
        const [step, heat] = ["bake", "heat"].map((name) => sent.find((span) => span.name === name));
        assert.equal(heat?.parentSpanId, step?.spanId);
      });
    });
    trace.disable();
  });

  test("are rows of a run that is not sampled with spans: true, and are not sent", async () => {
    await traced("telemetry.sample_ratio = 0", async ({ config, spans }) => {
      await shown(
        Framework.http()
          .config(config)
          .get("/", asking)
          .inspector(on({ spans: true })),
        async (get, newest) => {
          await get("/");

          assert.deepEqual(inShort(await newest()), [
            ["span", "pg.query SELECT", 0],
            ["span", "connect", 1],
          ]);
          assert.deepEqual(await spans(), []);
        },
      );
    });
    trace.disable();
  });

  test("are rows and are sent, of a sampled run with spans: true", async () => {
    await traced("", async ({ config, spans }) => {
      await shown(
        Framework.http()
          .config(config)
          .get("/", asking)
          .inspector(on({ spans: true })),
        async (get, newest) => {
          await get("/");

          assert.equal(rowsOf(await newest()).length, 2);
          const sent = (await spans()).map(({ name }) => name).sort();
          assert.deepEqual(sent, ["GET /", "ask", "connect", "pg.query SELECT"]);
        },
      );
    });
    trace.disable();
  });
});
