// The rooms of src: no circle of imports, one order of rooms in a layer, folders of few files.

import { commandLine } from "./command-line.mjs";
import { circleComplaints, folderComplaints, lostComplaints, orderComplaints } from "./rooms/complaints.mjs";
import { filesBelow, readImports } from "./rooms/imports.mjs";
import { LARGE_FOLDERS, MAX_FILES, ROOMS } from "./rooms/order.mjs";

commandLine(`npm run rooms

Refuses in src:
  circles of imports, types counted; import() is none
  an import of a later room of the same layer, import() too: scripts/rooms/order.mjs has the order
  a folder that the order of its layer does not have
  and, in native-tests too, folders of more than ${MAX_FILES} files`);

const { imports, lost } = readImports(".");
const sources = filesBelow(".", "src");
const complaints = [
  ...lostComplaints(lost),
  ...circleComplaints(imports),
  ...orderComplaints(imports, sources, ROOMS),
  ...folderComplaints([...sources, ...filesBelow(".", "native-tests")], MAX_FILES, LARGE_FOLDERS),
];
for (const complaint of complaints) console.error(complaint);
process.exit(complaints.length === 0 ? 0 : 1);
