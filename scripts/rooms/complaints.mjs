// Problems with the places of files and their imports, each as "file: what is wrong, and the remedy".

import { posix } from "node:path";

import { circlesOf } from "./circles.mjs";
import { TOP } from "./order.mjs";

/** Circles of imports, types counted. A lazy import does not count: it is the way to break a circle of values. */
export function circleComplaints(imports) {
  return circlesOf(imports.filter(({ isLazy }) => !isLazy)).map(({ files, path }) => {
    const others = files.length - new Set(path).size;
    const more = others === 0 ? "" : `, and ${others} more files in circles with them`;
    return `${path[0]}: a circle of imports (types count), ${path.join(" -> ")}${more}: move what both must know, often a type, to a file below both`;
  });
}

/** Imports of a later room of the same layer, and folders without a place in the order. */
export function orderComplaints(imports, files, rooms) {
  const ordered = Object.keys(rooms);
  return [
    ...ordered.flatMap((layer) => placeComplaints(layer, rooms[layer], files)),
    ...imports
      .filter(({ from, to }) => ordered.includes(layerOf(from)) && layerOf(from) === layerOf(to))
      .flatMap(({ from, to }) => arrowComplaints(from, to, rooms[layerOf(from)])),
  ];
}

function arrowComplaints(from, to, order) {
  const layer = layerOf(from);
  if (isIndex(from)) return [];
  if (isIndex(to))
    return [`${from}: imports ${to}, which is for other layers: import the file that declares it`];
  const [low, high] = [from, to].map((file) => order.indexOf(roomOf(file, order)));
  if (low === -1 || high === -1 || high <= low) return [];
  return [
    `${from}: imports ${to}, but in ${layer} ${order[low]} comes before ${order[high]}: move what both must know to ${order[low]} or below, or hand it in`,
  ];
}

/** Files outside all rooms, once for each folder, and rooms without files. */
function placeComplaints(layer, order, files) {
  const own = files.filter((file) => layerOf(file) === layer && !isIndex(file));
  const places = new Map(own.map((file) => [posix.dirname(file), roomOf(file, order)]));
  const used = new Set(places.values());
  return [
    ...[...places]
      .filter(([, room]) => room === undefined)
      .map(([folder]) =>
        folder === `src/${layer}`
          ? `${folder}: has files beside index.ts, and the order of ${layer} has none: move them to a room`
          : `${folder}: is in no room of ${layer}: move it to one, or add it to the order in scripts/rooms/order.mjs`,
      ),
    ...order
      .filter((room) => !used.has(room))
      .map((room) => `scripts/rooms/order.mjs: ${layer} has no ${room}: take it from the order`),
  ];
}

/** Folders with more files than a reader takes in. */
export function folderComplaints(files, max, large) {
  const counts = new Map();
  for (const file of files) counts.set(posix.dirname(file), (counts.get(posix.dirname(file)) ?? 0) + 1);
  return [...counts]
    .filter(([folder, count]) => count > max && !large.includes(folder))
    .map(([folder, count]) => `${folder}: has ${count} files, and ${max} are the most: split it by idea`);
}

export const lostComplaints = (lost) =>
  lost.map(({ from, specifier }) => `${from}: imports ${specifier}, which is no file: mend the path`);

/** "core" for src/core/mode.ts; undefined for files of src itself. */
const layerOf = (file) => /^src\/([^/]+)\//.exec(file)?.[1];

const isIndex = (file) => /^src\/[^/]+\/index\.ts$/.test(file);

/** The innermost room that has the file; undefined if none has. */
function roomOf(file, order) {
  const folder = posix.dirname(file).split("/").slice(2);
  if (folder.length === 0) return order.find((room) => room === TOP);
  for (let depth = folder.length; depth > 0; depth -= 1) {
    const room = folder.slice(0, depth).join("/");
    if (order.includes(room)) return room;
  }
  return undefined;
}
