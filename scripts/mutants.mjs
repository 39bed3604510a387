// Makes mutants of a source: single small faults, each a splice of its text. Messages, types
// and errors stay as they are, because a test of those compares words.

import { parseSync } from "oxc-parser";

const PAIRS = ["< <=", "> >=", "=== !==", "Math.min Math.max"].map((pair) => pair.split(" "));
const OTHERS = new Map(PAIRS.flatMap((pair) => [pair, [...pair].reverse()]));

const LOSS = "drop a statement";

/** The comment at a line, or above it, whose loss is a hole in security. */
const MARK = /^\s*hole: \S/;

/** Calls that report something, and constructors of errors. */
const REPORT = /(?:^|[.#])(?:log|logger|console|warn|debug|emitWarning|report\w*)(?:\.\w+)?$/;
const ERROR = /(?:Error|Panic)$/;

/** Types of functions whose answer may be turned. */
const YES_NO = /^: (?:boolean|Promise<boolean>|\w+ is .*)$/;
const NOTHING = { start: 0, end: 0 };

/** TypeScript's own syntax that has a value inside. */
const WRAPPERS = new Set(["TSAsExpression", "TSNonNullExpression", "TSSatisfiesExpression"]);

/**
 * The mutants of a source in the order of its text, each with its file and line, `what` is done,
 * and the `text` that replaces the source from `start` to `end`. `isMarked` if it is the loss of a
 * line that a comment marks as a hole in security, or any fault of one that has no statement to drop.
 */
export function mutantsOf(code, file) {
  const { program, comments, errors } = parseSync(file, code);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0].message}: mend its syntax`);
  const lineAt = (offset) => code.slice(0, offset).split("\n").length;
  const marked = new Set(
    comments.filter(({ value }) => MARK.test(value)).map((mark) => lineAt(marks(code, mark))),
  );
  const edits = [...editsOf(program, {}, ({ start, end }) => code.slice(start, end))];
  const found = edits.map((edit) => ({ file, line: lineAt(edit.start), ...edit }));
  const lost = new Set(found.filter(({ what }) => what === LOSS).map(({ line }) => line));
  const isMarked = ({ line, what }) => marked.has(line) && (what === LOSS || !lost.has(line));
  return found.map((mutant) => ({ ...mutant, isMarked: isMarked(mutant) })).sort((a, b) => a.start - b.start);
}

/** Where the code is that a comment marks: before it in its line, or in the first line below that is no comment. */
function marks(code, { start, end }) {
  const isBeside = /\S/.test(code.slice(code.lastIndexOf("\n", start) + 1, start));
  return isBeside ? start : end + /^(?:\s*(?:\/\/.*)?\n)*\s*/.exec(code.slice(end))[0].length;
}

function* editsOf(node, at, textOf) {
  if (isLeftAlone(node, textOf)) return;
  yield* ownEdits(node, at, textOf);
  const isYesNo = node.type.includes("Function")
    ? YES_NO.test(textOf(node.returnType ?? NOTHING))
    : at.isYesNo;
  const answer = { ReturnStatement: "argument", ArrowFunctionExpression: "body" }[node.type];
  for (const [key, value] of Object.entries(node)) {
    const isLoop = node.type === "ForStatement";
    // A loop that never ends is noticed, and takes the whole time limit.
    if (key === "update" && isLoop) continue;
    const inside = {
      isTest: key === "test" && !isLoop && node.type !== "SwitchCase",
      isConstructor: key === "value" && node.kind === "constructor",
      isAnswer: isYesNo && key === answer,
      isYesNo,
    };
    for (const child of [value].flat())
      if (typeof child?.type === "string") yield* editsOf(child, inside, textOf);
  }
}

function isLeftAlone({ type, callee }, textOf) {
  if (type === "NewExpression") return ERROR.test(textOf(callee));
  if (type === "CallExpression") return REPORT.test(textOf(callee));
  if (type.startsWith("TS")) return !WRAPPERS.has(type);
  return type === "ThrowStatement" || type === "TemplateLiteral" || type === "ImportExpression";
}

function* ownEdits(node, { isTest, isAnswer, isConstructor }, textOf) {
  const { type, operator, left, right, body } = node;
  const edit = (what, { start, end }, text) => ({ what, start, end, text });
  const isNegated = isTest && type !== "LogicalExpression";
  if (isNegated) yield edit("negate a condition", node, `!(${textOf(node)})`);
  else if (operator === "!") yield edit("negate a condition", node, textOf(node.argument));
  if (isAnswer && type !== "BlockStatement")
    yield edit("turn an answer", node, String(textOf(node) !== "true"));

  if (type === "LogicalExpression") {
    for (const side of operator === "??" ? [left] : [left, right])
      yield edit(`keep one side of ${operator}`, node, textOf(side));
  } else if (type === "BinaryExpression" && OTHERS.has(operator)) {
    const place = { start: left.end, end: right.start };
    if (!isNegated || !operator.endsWith("=="))
      yield edit("swap a comparison", place, textOf(place).replace(operator, OTHERS.get(operator)));
  } else if (type === "CallExpression" && OTHERS.has(textOf(node.callee))) {
    yield edit("swap a bound", node.callee, OTHERS.get(textOf(node.callee)));
  } else if (type === "IfStatement" ? node.alternate === null : isDroppable(node, textOf)) {
    yield edit(LOSS, node, ";");
  } else if (type === "ArrowFunctionExpression" && body.type === "CallExpression") {
    if (!isLeftAlone(body, textOf)) yield edit("return early", body, "undefined");
  } else if (type.includes("Function") && body?.body?.length > 0 && !isConstructor) {
    yield edit("return early", { start: body.start + 1, end: body.start + 1 }, " return;");
  }
}

const isDroppable = ({ type, directive, expression }, textOf) =>
  type === "ExpressionStatement" &&
  directive == null &&
  expression.callee?.type !== "Super" &&
  !isLeftAlone(expression, textOf);
