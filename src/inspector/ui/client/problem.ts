// What went wrong with a question, for the place where it was asked.

export class Problem extends Error {
  override readonly name = "Problem";
  /** 0: no answer came. */
  readonly status: number;
  readonly code: string | undefined;
  readonly title: string;
  readonly detail: string | undefined;
  /** The whole problem document, for members such as `position` and `errors`. */
  readonly document: Readonly<Record<string, unknown>>;
  /** "GET /api/v1/dlq". */
  readonly question: string;

  constructor(status: number, document: Readonly<Record<string, unknown>>, question = "") {
    const title = textOf(document["title"]) ?? (status === 0 ? "No answer" : `Status ${status}`);
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
 * What was asked for: what is shown, and asked for again and again; what changes nothing, and is
 * asked for once; what does something.
 */
export type Asked = "shown" | "once" | "action";

/** Where no answer came. Of what was to be done nobody knows then whether it was. */
const UNANSWERED: Readonly<Record<Asked, string>> = {
  shown: "It is asked again by itself as soon as the server answers.",
  once: "Nothing was changed: try it again when the server answers.",
  action: "It may have been done, or not. Look before you try it again.",
};

/** Where the server has failed. */
const FAILED: Readonly<Record<Asked, string>> = {
  shown: "It is asked again by itself. The server's log says more.",
  once: "Nothing was changed: try it again. The server's log says more.",
  action: "It may have been done, or not. Look before you try it again. The server's log says more.",
};

/** What the reader can do about it. */
export function remedyOf({ status, document }: Problem, asked: Asked = "shown"): string | undefined {
  switch (status) {
    case 0:
      return UNANSWERED[asked];
    case 401:
      return "Open the link that the server printed when it started, or give its token.";
    case 403:
      return "This needs the operator's token.";
    case 501:
      return document["capability"] === "planned"
        ? "This server has no adapter for it yet: System shows what it can do."
        : undefined;
    default:
      return status >= 500 ? FAILED[asked] : undefined;
  }
}

/** It as a sentence, and what the reader can do about it. */
export function sayingOf(problem: Problem, asked: Asked): string {
  const said = problem.status === 0 ? problem.title : (problem.detail ?? problem.title);
  const remedy = remedyOf(problem, asked);
  return remedy === undefined ? said : `${/[.!?]$/.test(said) ? said : `${said}.`} ${remedy}`;
}

const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;
