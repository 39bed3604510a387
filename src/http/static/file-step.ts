// The step that serves files. It is synchronous for files in memory.

import type { BusView } from "#core/bus/bus.js";
import type { BusKey } from "#core/bus/bus-key.js";
import { type DeclaredResponse, declaredOf } from "#core/bus/declared-response.js";
import { type Fault, fault } from "#core/bus/outcome.js";
import type { MaybePromise } from "#core/bus/outcome-types.js";
import { type Reply, respond } from "#core/bus/reply.js";
import { guardCodes, refusalCodes } from "#core/error-codes.js";
import { header, param, RequestMethod, RequestPath, RequestQuery } from "#core/facts/ingress-facts.js";
import { Axon } from "#runtime/axon/axon.js";
import type { SentAnswer } from "../answer/sent-answer.js";
import { Refusal } from "../refusal/refusal.js";
import type { Asked } from "./file-answers.js";
import { NavigationsKey } from "./navigations.js";
import type { ServedFolder } from "./served-folder.js";

const ACCEPT = header("accept");
const ACCEPT_ENCODING = header("accept-encoding");
const IF_MATCH = header("if-match");
const IF_MODIFIED_SINCE = header("if-modified-since");
const IF_NONE_MATCH = header("if-none-match");
const IF_RANGE = header("if-range");
const IF_UNMODIFIED_SINCE = header("if-unmodified-since");
const RANGE = header("range");
const PATH = param("path");

const FIELDS = [
  ACCEPT_ENCODING,
  IF_MATCH,
  IF_MODIFIED_SINCE,
  IF_NONE_MATCH,
  IF_RANGE,
  IF_UNMODIFIED_SINCE,
  RANGE,
] as const;

type AskingBus = BusView<typeof RequestMethod, never, (typeof FIELDS)[number]>;
type PathBus = BusView<typeof RequestPath, never, typeof RequestQuery>;

interface FolderMount {
  readonly key: BusKey<ServedFolder, string>;
  /** Path without a "/" at its end. */
  readonly prefix: string;
  readonly index: string | undefined;
  readonly redirects: boolean;
}

type FileAnswer = SentAnswer | Reply<undefined> | Fault<unknown>;
type Attempt = () => Promise<FileAnswer | undefined>;

const NOT_FOUND = fault(new Refusal("NOT_FOUND"));

const RESPONSES: readonly DeclaredResponse[] = [
  ...[200, 206, 304].map((status) => ({ status, methods: ["GET", "HEAD"] })),
  ...declaredOf(guardCodes, "PRECONDITION_FAILED", "PRECONDITION_INVALID"),
  ...declaredOf(refusalCodes, "FILE_CHANGED", "NOT_FOUND", "RANGE_UNSATISFIABLE"),
];
const REDIRECTS: readonly DeclaredResponse[] = [{ status: 301, title: "The page of the directory" }];

const nameOf = (prefix: string): string => `files ${prefix}/`;

/** Serves `prefix/*path`. */
export function folderAxon({ key, prefix, index, redirects }: FolderMount) {
  const run = (
    _: unknown,
    bus: AskingBus &
      PathBus &
      BusView<typeof key | typeof PATH, never, typeof ACCEPT | typeof NavigationsKey>,
  ): MaybePromise<FileAnswer> => {
    const folder = bus.get(key);
    const rest = bus.get(PATH);
    const isFolder = rest === "" || rest.endsWith("/");
    const path = isFolder ? rest + (index ?? "") : rest;
    const asked = askedOf(bus);
    const remembered = rememberedAnswer(folder, path, asked);
    if (remembered !== undefined) return remembered;
    const attempts: Attempt[] = [];
    if (folder.takes(path)) {
      attempts.push(() => lookedUpAnswer(folder, path, asked));
      if (redirects && index !== undefined && !isFolder)
        attempts.push(redirectTo(folder, `${path}/${index}`, bus));
    }
    const navigations = prefix === "" ? bus.find(NavigationsKey) : undefined;
    if (navigations?.takes(asked.method, rest.split("/"), bus.find(ACCEPT) ?? "") === true)
      attempts.push(() => lookedUpAnswer(navigations.folder, navigations.file, asked));
    return firstOf(attempts);
  };
  const mayRead =
    prefix === "" ? [...FIELDS, RequestQuery, ACCEPT, NavigationsKey] : [...FIELDS, RequestQuery];
  return Axon.start(nameOf(prefix)).thenFn("file", run, {
    reads: [key, PATH, RequestMethod, RequestPath],
    mayRead,
    responses: redirects && index !== undefined ? [...RESPONSES, ...REDIRECTS] : RESPONSES,
  });
}

/** Serves the prefix itself. */
export function prefixAxon({ key, prefix, index }: FolderMount & { readonly index: string }) {
  return Axon.start(nameOf(prefix)).thenFn(
    "file",
    (_, bus): MaybePromise<FileAnswer> => {
      const folder = bus.get(key);
      // The router may accept both spellings.
      if (!bus.get(RequestPath).endsWith("/")) return firstOf([redirectTo(folder, index, bus)]);
      const asked = askedOf(bus);
      return fileAnswer(folder, index, asked);
    },
    {
      reads: [key, RequestMethod, RequestPath],
      mayRead: [...FIELDS, RequestQuery],
      responses: [...RESPONSES, ...REDIRECTS],
    },
  );
}

export const navigationAxon = Axon.start("single-page application").thenFn(
  "file",
  (_, bus): MaybePromise<FileAnswer> => {
    const { folder, file } = bus.get(NavigationsKey);
    const asked = askedOf(bus);
    return fileAnswer(folder, file, asked);
  },
  { reads: [NavigationsKey, RequestMethod], mayRead: FIELDS, responses: RESPONSES },
);

interface AskedOfFolder extends Asked {
  readonly acceptEncoding: string | undefined;
}

/** Reads the request's fields at once: its head is invalid later. */
const askedOf = (bus: AskingBus): AskedOfFolder => ({
  method: bus.get(RequestMethod),
  acceptEncoding: bus.find(ACCEPT_ENCODING),
  ifMatch: bus.find(IF_MATCH),
  ifUnmodifiedSince: bus.find(IF_UNMODIFIED_SINCE),
  ifNoneMatch: bus.find(IF_NONE_MATCH),
  ifModifiedSince: bus.find(IF_MODIFIED_SINCE),
  range: bus.find(RANGE),
  ifRange: bus.find(IF_RANGE),
});

const fileAnswer = (folder: ServedFolder, path: string, asked: AskedOfFolder): MaybePromise<FileAnswer> =>
  rememberedAnswer(folder, path, asked) ?? firstOf([() => lookedUpAnswer(folder, path, asked)]);

/** The cached response; undefined if the disk must be read. */
function rememberedAnswer(folder: ServedFolder, path: string, asked: AskedOfFolder): FileAnswer | undefined {
  const { now } = folder;
  const file = folder.remembered(path, now)?.chosenFor(asked.acceptEncoding);
  return file?.variant.bytes === undefined ? undefined : file.answerTo(asked, now);
}

async function lookedUpAnswer(
  folder: ServedFolder,
  path: string,
  asked: AskedOfFolder,
): Promise<FileAnswer | undefined> {
  const entry = await folder.look(path);
  if (entry instanceof Refusal) return fault(entry);
  return entry?.chosenFor(asked.acceptEncoding).answerTo(asked, folder.now);
}

/** Redirects to the path with a "/", on which relative links of a directory's page depend. The location is relative, so that it is valid behind a proxy with a prefix. */
function redirectTo(folder: ServedFolder, page: string, bus: PathBus): Attempt {
  const path = bus.get(RequestPath);
  const query = bus.find(RequestQuery);
  return async () => {
    const entry = await folder.look(page);
    if (entry === undefined) return undefined;
    if (entry instanceof Refusal) return fault(entry);
    const location = `./${path.slice(path.lastIndexOf("/") + 1)}/${query === undefined ? "" : `?${query}`}`;
    return respond({ status: 301, headers: { location, "cache-control": "no-cache" } });
  };
}

function firstOf(attempts: readonly Attempt[]): MaybePromise<FileAnswer> {
  return attempts.length === 0 ? NOT_FOUND : succeeding(attempts);
}

async function succeeding(attempts: readonly Attempt[]): Promise<FileAnswer> {
  for (const attempt of attempts) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  return NOT_FOUND;
}
