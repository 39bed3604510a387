// Shows the path of a request, and the refusals that follow from declarations. No guard and no step
// runs: rate limits, the signatures of tokens and stores are not checked.

import { aligned } from "#config/aligned.js";
import type { DeclaredResponse } from "#core/bus/declared-response.js";
import type { IamIdentity } from "#core/iam/iam-identity.js";
import { mediaTypeOf } from "#core/wire/content-type.js";
import { visible } from "#core/wire/visible-text.js";
import { type FrontStage, type RouteWalk, routeWalk } from "#http/description/route-walk.js";
import { refusalOfBody } from "#http/input/body-media.js";
import type { IngressPlan } from "#http/plan/ingress-plan.js";
import { Refusal } from "#http/refusal/refusal.js";
import { ingressOf } from "../application/application.js";
import { type Painter, painter } from "../terminal/colour.js";
import { type Given, type Surroundings, UsageError } from "../terminal/command.js";
import { inputText } from "./routes.js";

/** A request as the command line describes it. */
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: string | undefined;
  /** By lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly identity: IamIdentity | undefined;
  readonly body: Buffer | undefined;
}

/** "passes", a refusal, or why the result is unknown. */
type Verdict =
  | { readonly kind: "passes" }
  | { readonly kind: "unknown"; readonly why: string }
  | { readonly kind: "refuses"; readonly status: number; readonly code: string; readonly why: string };

interface JudgedStage {
  readonly stage: string;
  readonly name: string;
  readonly description: string;
  readonly responses: readonly DeclaredResponse[];
  readonly verdict: Verdict;
}

export async function explainRoute(given: Given, surroundings: Surroundings): Promise<number> {
  const [module, method, target] = given.operands;
  if (module === undefined || method === undefined || target === undefined)
    throw new UsageError(
      "a word is missing: framework explain MODULE METHOD PATH, as in framework explain src/app.ts GET /orders/17",
    );
  const asked = askedOf(method, target, given);
  const { plan } = await ingressOf(module, given.text("export"));
  const walk = routeWalk(plan, asked.method, asked.path);
  if (walk instanceof Refusal) {
    const said = unserved(walk, asked, plan);
    surroundings.out(given.flag("json") ? `${JSON.stringify(said, null, 2)}\n` : `${said.message}\n`);
    return 1;
  }
  const stages = judged(walk, asked);
  const refused = stages.find(({ verdict }) => verdict.kind === "refuses");
  surroundings.out(
    given.flag("json")
      ? `${JSON.stringify(asData(walk, stages), null, 2)}\n`
      : asText(walk, stages, asked, surroundings),
  );
  return refused === undefined ? 0 : 1;
}

function askedOf(method: string, target: string, given: Given): Asked {
  if (!/^[A-Za-z]+$/.test(method))
    throw new UsageError(`'${visible(method)}' is no method: give it before the path, as in GET /orders`);
  if (!target.startsWith("/"))
    throw new UsageError(`the path '${visible(target)}' does not begin with /, as in ${method} /orders`);
  const mark = target.indexOf("?");
  const role = given.text("as");
  const body = given.text("body");
  return {
    method: method.toUpperCase(),
    path: mark < 0 ? target : target.slice(0, mark),
    query: mark < 0 ? undefined : target.slice(mark + 1),
    headers: new Map(given.list("header").map(headerOf)),
    identity: role === undefined ? undefined : { subject: "explain", roles: role.split(","), claims: {} },
    body: body === undefined ? undefined : Buffer.from(body),
  };
}

function headerOf(line: string): readonly [string, string] {
  const [, name, value] = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[ \t]*(.*)$/s.exec(line) ?? [];
  if (name === undefined || value === undefined)
    throw new UsageError(
      `--header '${visible(line)}' is none: write --header "content-type: application/json"`,
    );
  return [name.toLowerCase(), value];
}

function unserved({ problem }: Refusal, { method, path }: Asked, { routes }: IngressPlan) {
  const served = [...new Set(routes.map((route) => `${route.method} ${route.pattern.text}`))];
  const others = served.filter((route) => route.endsWith(` ${path}`));
  const listed = others.length > 0 ? others : served.slice(0, MOST_LISTED);
  const more = served.length - listed.length;
  const rest = others.length > 0 || more === 0 ? "" : `, and ${more} more (framework routes lists them)`;
  return {
    ...{ method, path, status: problem.status, code: problem.code },
    message: `No route serves ${method} ${visible(path)}: ${problem.status} ${problem.code}. Served: ${listed.join(", ") || "nothing"}${rest}`,
  };
}

const MOST_LISTED = 10;

function judged(walk: RouteWalk, asked: Asked): readonly JudgedStage[] {
  const ofStage = (stage: FrontStage, where: string): JudgedStage => ({
    ...{ stage: where, name: stage.name, description: stage.description, responses: stage.responses },
    verdict: verdictOf(stage, asked),
  });
  const input: JudgedStage[] =
    walk.input === undefined
      ? []
      : [
          {
            ...{ stage: "input", name: inputText(walk.input.part), description: "" },
            ...{ responses: walk.input.responses, verdict: verdictOfInput(walk, asked) },
          },
        ];
  return [
    ...walk.front.map((stage) => ofStage(stage, stage.kind)),
    ...input,
    ...walk.stepGuards.map((stage) => ofStage(stage, "step")),
  ];
}

function verdictOf(
  { kind, requires, accepts, admits, credential, responses }: FrontStage,
  { headers, identity, body }: Asked,
): Verdict {
  const missing = requires.find((name) => !isGiven(name, headers));
  if (missing !== undefined)
    return refuses(400, "HEADER_MISSING", `no ${missing.replace(":", " ")} is given`);
  if (admits !== undefined) {
    const error = admits.decide(identity);
    if (error === undefined) return PASSES;
    const sent = credential ?? { in: "header", name: "authorization" };
    if (identity === undefined && headers.has(sent.in === "cookie" ? "cookie" : sent.name.toLowerCase()))
      return unknown("the credential is not verified here: name the role it has by --as ROLE");
    const status = responses.find(({ code }) => code === error.code)?.status ?? 403;
    return refuses(status, error.code, error.reason ?? `needed: ${admits.description}`);
  }
  if (accepts !== undefined) {
    if (body === undefined) return PASSES;
    const type = headers.get("content-type") ?? "";
    if (!isAccepted(type, accepts))
      return refuses(
        415,
        "CONTENT_TYPE_REFUSED",
        `the content type '${type}' is none of ${accepts.join(", ")}`,
      );
    return PASSES;
  }
  if (kind === "layer" || responses.length === 0) return PASSES;
  return unknown("it decides when it runs");
}

/** `key` as steps declare it: "header:if-match", "signed cookie:cart". */
function isGiven(key: string, headers: Asked["headers"]): boolean {
  const [kind, name = ""] = key.split(/:(.*)/s);
  if (kind === "header") return headers.has(name);
  return (headers.get("cookie") ?? "").split(";").some((pair) => pair.trim().startsWith(`${name}=`));
}

function isAccepted(contentType: string, accepts: readonly string[]): boolean {
  const type = mediaTypeOf(contentType);
  if (type === undefined) return false;
  return accepts.some((accepted) => {
    const [begin = "", end] = accepted.split("*");
    return end === undefined ? type === accepted : type.startsWith(begin) && type.endsWith(end);
  });
}

/** Reads the input from the command line with the route's own reader. */
function verdictOfInput({ reader, segments, limits }: RouteWalk, asked: Asked): Verdict {
  const { headers, query, body } = asked;
  if (reader.readsBody && body === undefined) return unknown("no body is given: --body TEXT");
  if (reader.streams) return unknown("read while the route runs");
  const contentType = headers.get("content-type") ?? "";
  const bodyLength = body?.length ?? 0;
  const contentEncoding = headers.get("content-encoding") ?? "";
  const refused = refusalOfBody({ bodyLength, contentType, contentEncoding }, limits.bodyLimit, reader);
  const fields = Object.fromEntries(headers);
  const read =
    refused ??
    reader.read(
      { segments, query, contentType, bodyLength, particulars: { fields, stream: null } },
      body ?? Buffer.alloc(0),
    );
  if (!(read instanceof Refusal)) return PASSES;
  const { status, code, title, detail, errors = [] } = read.problem;
  const places = errors.map(({ pointer, expected }) => `${pointer || "the whole"}: ${expected}`);
  return refuses(status, code, [detail ?? title, ...places].join("; "));
}

const PASSES: Verdict = { kind: "passes" };
const unknown = (why: string): Verdict => ({ kind: "unknown", why });
const refuses = (status: number, code: string, why: string): Verdict => ({
  kind: "refuses",
  status,
  code,
  why,
});

function asText(
  walk: RouteWalk,
  stages: readonly JudgedStage[],
  asked: Asked,
  surroundings: Surroundings,
): string {
  const paint = painter(surroundings);
  const { method, path, axon, limits, steps, output, detached } = walk;
  const rows = stages.map(({ stage, name, description, responses, verdict }) => [
    stage,
    name,
    verdict.kind,
    codesOf(responses),
    description,
  ]);
  const shown = new Set(stages.flatMap(({ responses }) => responses.map(codeOf)));
  const isSuccess = ({ status }: DeclaredResponse): boolean => status < 300;
  const successes = codesOf(walk.responses.filter(isSuccess));
  const others = walk.responses.filter((response) => !isSuccess(response) && !shown.has(codeOf(response)));
  const named = output?.$id ?? output?.title ?? "";
  const answer = detached ? `${successes}, before its run ends` : `${successes} ${named}`.trim();
  return [
    paint("bold", `${asked.method} ${visible(asked.path)}`),
    `route   ${method} ${path}`,
    `axon    ${axon.name} ${axon.version}`,
    `limits  body ${limits.bodyLimit} bytes, ${limits.timeoutMs} ms`,
    "",
    ...(rows.length === 0
      ? ["Nothing stands before its steps: no layer, no guard, no input."]
      : aligned([["STAGE", "NAME", "VERDICT", "MAY RESPOND", ""], ...rows])),
    "",
    "Then its steps:",
    ...steps.map((line) => `  ${line}`),
    "",
    `Responds ${answer}; or ${codesOf(others)}`,
    verdictText(stages, paint),
    "",
  ].join("\n");
}

function verdictText(stages: readonly JudgedStage[], paint: Painter): string {
  for (const { stage, name, verdict } of stages) {
    if (verdict.kind !== "refuses") continue;
    const { status, code, why } = verdict;
    return paint("red", `Refused by ${stage} ${name}: ${status} ${code}, ${visible(why)}`);
  }
  const open = stages.flatMap(({ name, verdict }) =>
    verdict.kind === "unknown" ? [`  ${name}: ${verdict.why}`] : [],
  );
  const verdict = paint("green", "Nothing that is declared refuses it.");
  return open.length === 0 ? verdict : [verdict, "Undecided:", ...open].join("\n");
}

const codeOf = ({ status, code = "" }: DeclaredResponse): string => `${status} ${code}`.trim();

const codesOf = (responses: readonly DeclaredResponse[]): string =>
  [...new Set(responses.map(codeOf))].join(", ") || "-";

/** Without readers and segments, which are no data. */
const asData = (
  { reader, segments, front, stepGuards, input, ...walk }: RouteWalk,
  stages: readonly JudgedStage[],
) => ({ ...walk, output: walk.output ?? null, stages });
