// The failure of a request, shown where the request was made.

export class Problem extends Error {
  override readonly name = "Problem";
  /** 0 if there was no response. */
  readonly status: number;
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  /** The whole problem document, including members such as `position` and `errors`. */
  readonly document: Readonly<Record<string, unknown>>;
  /** "GET /api/v1/dlq". */
  readonly question: string;

  constructor(status: number, document: Readonly<Record<string, unknown>>, question = "") {
    const title = textOf(document["title"]) ?? (status === 0 ? "No response" : `Status ${status}`);
    super(title);
    this.status = status;
    this.document = document;
    this.question = question;
    this.title = title;
    this.code = textOf(document["code"]);
    this.detail = textOf(document["detail"]);
  }
}

/**
 * Kind of request: "shown" is repeated data on screen, "once" is a read made once, "action" changes
 * something.
 */
export type Asked = "shown" | "once" | "action";

/** By kind of request, without a response. It is then unknown whether an action took effect. */
const UNANSWERED: Readonly<Record<Asked, string>> = {
  shown: "Retries automatically until the server responds.",
  once: "Nothing was changed. Try again when the server responds.",
  action: "The result is unknown. Check before you try again.",
};

/** By kind of request, after a 5xx. */
const FAILED: Readonly<Record<Asked, string>> = {
  shown: "Retries automatically. See the server's log.",
  once: "Nothing was changed. Try again, and see the server's log.",
  action: "The result is unknown. Check before you try again, and see the server's log.",
};

/** What the operator can do about it. */
export function remedyOf({ status, document }: Problem, asked: Asked = "shown"): string | undefined {
  switch (status) {
    case 0:
      return UNANSWERED[asked];
    case 401:
      return "Open the link that the server printed at its start, or enter its token.";
    case 403:
      return "Requires the operator's token.";
    case 501:
      return document["capability"] === "planned"
        ? "Not configured on this server. System lists its capabilities."
        : undefined;
    default:
      return status >= 500 ? FAILED[asked] : undefined;
  }
}

/** The problem as a sentence, with its remedy. */
export function sayingOf(problem: Problem, asked: Asked): string {
  const said = problem.status === 0 ? problem.title : (problem.detail ?? problem.title);
  const remedy = remedyOf(problem, asked);
  return remedy === undefined ? said : `${/[.!?]$/.test(said) ? said : `${said}.`} ${remedy}`;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
