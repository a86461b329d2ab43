// SPDX-License-Identifier: Apache-2.0
// Results against their JSON Schema, and that the schema sees what is wrong.  node validate.mjs SCHEMA RESULTS.json ...
import assert from "node:assert/strict";
import fs from "node:fs";
import Ajv2020 from "ajv/dist/2020.js";

const [schemaFile, ...files] = process.argv.slice(2);
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const validate = new Ajv2020({allErrors: true, strict: true, strictRequired: false, allowUnionTypes: true}).compile(read(schemaFile));

for (const file of files) {
  assert.ok(validate(read(file)), `${file}: ${JSON.stringify(validate.errors?.slice(0, 3), null, 1)}`);

  // Every field is known, and those that are required are missed.
  const wrong = {
    "a field that is not in the schema": (r) => { r.collectives[0].speed = 1; },
    "a missing field": (r) => { delete r.iterations[0].breakdown_s.idle; },
    "a negative time": (r) => { r.iteration_time_s = -1; },
    "a link that is busy twice": (r) => { r.links[0].busy_fraction = 2; },
    "no iteration": (r) => { r.iterations = []; },
    "text for a number": (r) => { r.simulation.packet_hops = "many"; },
  };
  for (const [what, change] of Object.entries(wrong)) {
    const changed = read(file);
    change(changed);
    assert.ok(!validate(changed), `${file}: the schema does not notice ${what}`);
  }
}
console.log(`${files.length} results follow the schema`);
