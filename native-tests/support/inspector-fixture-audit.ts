import type { ShownAuditEvent } from "../../src/inspector/api/audit.js";
import type { Answered } from "./inspector-fixture-answers.js";

const PSEUDONYM = `sealed:1:${"Ab3_x-Z9".repeat(6).slice(0, 43)}`;

/** 250 events, the newest first: those of operators, a sealed one, long and odd texts, forged rows. */
export function auditEvents(now: number): ShownAuditEvent[] {
  const newest: readonly (readonly [string, string, string, string | null])[] = [
    ["operator:e4ba15bc7411", "inspector.run.resume", "run-h1", null],
    ["breakpoint:b1", "inspector.breakpoint.hit", "run-h1", null],
    ["operator:e4ba15bc7411", "inspector.letter.redrive", "dl-0", null],
    [PSEUDONYM, "transfer.book", "account:ada", "the customer called twice about it"],
    ["eve\u202egnirts", `order.cancel.${"x".repeat(180)}`, "<img src=x onerror=alert(1)>", "a\\u0000b"],
    ["teller:bob", "transfer.book", `account:${"long".repeat(500)}`, "y".repeat(4000)],
  ];
  return Array.from({ length: 250 }, (_, n) => {
    const position = 250 - n;
    if (n === 6)
      return { position, event: null, problem: "It was changed: its metadata is no canonical JSON" };
    const [actor, action, target, intent] = newest[n] ?? [
      "teller:ann",
      "transfer.book",
      `account:${n}`,
      null,
    ];
    return {
      position,
      event: {
        ...{ id: `event-${position}`, timestamp: stamp(now - n * 61_000), actor, action, target, intent },
        metadata: { run_id: n < 2 ? "run-h1" : `run-${n}`, cents: 4200 + n, from: "[redacted]" },
        is_cut: n === 5,
      },
      problem: n === 7 ? "It was changed: its hash is another one" : null,
    };
  });
}

const stamp = (at: number): string => new Date(at).toISOString().replace("Z", "000Z");

/** A page as the API has it. */
export function auditPage(events: readonly ShownAuditEvent[], query: URLSearchParams) {
  const before = Number(query.get("before") ?? Number.POSITIVE_INFINITY);
  const run = query.get("run");
  const text = query.get("text")?.toLowerCase();
  const rows = events.filter(({ position, event }) => {
    if (position >= before) return false;
    if (event === null)
      return run === null && ["actor", "action", "target"].every((name) => !query.has(name));
    return (
      (["actor", "action", "target"] as const).every(
        (name) => event[name] === (query.get(name) ?? event[name]),
      ) &&
      (run === null || event.target === run || (event.metadata as { run_id?: string }).run_id === run) &&
      (text === undefined || JSON.stringify(event).toLowerCase().includes(text))
    );
  });
  const page = rows.slice(0, 100);
  const next = rows.length > 100 ? (page.at(-1)?.position ?? null) : null;
  return { log: "postgres://shop@db.example/shop", events: page, next, read: page.length };
}

export const forViewers: Answered = {
  status: 403,
  answer: {
    type: "about:blank",
    title: "Forbidden",
    status: 403,
    code: "ROLE_INSUFFICIENT",
    detail: "It takes an operator",
  },
};
