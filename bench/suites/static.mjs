// Files, small and large: what each answer of a whole one costs.

import { hasNginx, nginxCommand } from "../measure/nginx.mjs";
import { serverSuite } from "../measure/server.mjs";
import { contentOf, LARGE, makeFolder, SMALL } from "../subjects/files.mjs";

let folder;
const root = () => {
  folder ??= makeFolder();
  return folder;
};

const arms = [
  { name: "Fastify with @fastify/static", server: "static-fastify.mjs", args: () => [root()] },
  { name: "ours", ours: true, server: "static-ours.mjs", args: () => [root()] },
  ...(hasNginx ? [{ name: "nginx", command: (port) => nginxCommand(port, root()) }] : []),
];

const filesOf = ({ name, file, bytes, shown, connections }) =>
  serverSuite({
    name,
    title: `A file of ${shown}`,
    measures: `GET of a text file of ${shown}, whole, with etag and last-modified, by ${connections} connections. nginx is one process with sendfile and its cache of open files.`,
    leavesOut: "conditions, ranges, compression, many files, files that change, a cold disk, TLS, latency.",
    request: { path: `/files/${file}`, connections },
    answer: {
      status: 200,
      type: /^text\/plain/,
      text: contentOf(bytes),
      headers: { etag: /^(W\/)?".+"$/, "last-modified": /GMT$/, "content-length": new RegExp(`^${bytes}$`) },
    },
    arms,
    bars: [{ arm: "ours", atLeast: 1.5 }],
  });

export const smallFiles = filesOf({
  name: "static",
  file: "small.txt",
  bytes: SMALL,
  shown: "4 KiB",
  connections: 64,
});
// Not 64: the first of so many answers at once would take as long as a round on a slow machine.
export const largeFiles = filesOf({
  name: "static-large",
  file: "large.txt",
  bytes: LARGE,
  shown: "1 MiB",
  connections: 8,
});
