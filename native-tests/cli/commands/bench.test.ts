import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, test } from "node:test";
import { benched } from "../../support/benched.js";
import { folderWith } from "../../support/config-folder.js";

describe("framework bench", () => {
  test("is 2 for a command line that is wrong, and measures nothing", async () => {
    const refusal = async (...args: readonly string[]) => {
      const { status, stdout, stderr } = await benched(args);
      assert.deepEqual([status, stdout], [2, ""], args.join(" "));
      return stderr;
    };
    const file = "package.json";
    const folder = folderWith({ "no.json": "no", "other.json": "{}" });

    assert.match(await refusal(), /the file is missing/);
    assert.match(await refusal("nowhere.js"), /there is no file nowhere\.js/);
    assert.match(await refusal(file, "--fail-over", "5%"), /give --compare BASE\.json too/);
    for (const wrong of ["ten", "0", "-5%", "2000%"])
      assert.match(
        await refusal(file, "--compare", "x.json", `--fail-over=${wrong}`),
        new RegExp(`--fail-over ${wrong}: give a percentage above 0, as 10%`),
      );
    assert.match(await refusal(file, "--rounds", "1.5"), /--rounds 1\.5: give a whole number from 1 to 100/);
    assert.match(await refusal(file, "--seconds", "0"), /--seconds 0: give a number from 0\.01 to 60/);
    assert.match(await refusal(file, "--json", "--markdown"), /give one of them/);
    assert.match(
      await refusal(file, "--compare", join(folder, "none.json")),
      /there is no such file: give what/,
    );
    assert.match(await refusal(file, "--compare", join(folder, "no.json")), /it is no JSON/);
    assert.match(
      await refusal(file, "--compare", join(folder, "other.json")),
      /it is no report of benchmarks/,
    );
  });
});
