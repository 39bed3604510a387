// Circles of imports.

/** Each group of files that reach one another, as the shortest circle in it and the size of the group. */
export function circlesOf(imports) {
  const targets = new Map();
  for (const { from, to } of imports) {
    if (!targets.has(from)) targets.set(from, []);
    targets.get(from).push(to);
  }
  return groupsOf(targets).map((group) => ({ files: [...group], path: shortestCircle(group, targets) }));
}

/** Tarjan's strongly connected components, without single files that do not import themselves. */
function groupsOf(targets) {
  const groups = [];
  const index = new Map();
  const lowest = new Map();
  const open = [];
  const isOpen = new Set();
  for (const file of targets.keys()) if (!index.has(file)) walk(file);
  return groups;

  function walk(file) {
    index.set(file, index.size);
    lowest.set(file, index.get(file));
    open.push(file);
    isOpen.add(file);
    for (const next of targets.get(file) ?? []) {
      if (!index.has(next)) walk(next);
      if (isOpen.has(next)) lowest.set(file, Math.min(lowest.get(file), lowest.get(next)));
    }
    if (lowest.get(file) !== index.get(file)) return;
    const group = new Set(open.splice(open.indexOf(file)));
    for (const member of group) isOpen.delete(member);
    if (group.size > 1 || targets.get(file)?.includes(file)) groups.push(group);
  }
}

function shortestCircle(group, targets) {
  const circles = [...group].sort().map((start) => circleThrough(start, group, targets));
  return circles.reduce((least, circle) => (circle.length < least.length ? circle : least));
}

/** The shortest path from a file to itself, breadth first. */
function circleThrough(start, group, targets) {
  const cameFrom = new Map();
  const waiting = [start];
  for (const file of waiting)
    for (const next of targets.get(file) ?? []) {
      if (!group.has(next) || cameFrom.has(next)) continue;
      cameFrom.set(next, file);
      waiting.push(next);
    }
  const path = [start];
  do path.unshift(cameFrom.get(path[0]));
  while (path[0] !== start);
  return path;
}
