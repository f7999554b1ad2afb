# SPDX-License-Identifier: BSD-2-Clause
"""A Node.js program compares configurations by npm's `deep-equal`, and hashes them. `deep-equal` knows every kind of object
of the language, and looks for each kind at each comparison.
"""
import os

from inputs import case, npm_package, script

PROGRAM = """const equal = require('%s');
const {createHash} = require('crypto');
const make = () => ({name: 'a', list: Array.from({length: 4}, (_, i) => ({id: i, tags: ['x', 'y' + i], on: i %% 2 === 0}))});
const [a, b] = [make(), make()];
function compare() { return equal(a, b) ? 1 : 0; }
function hash(turn) { return createHash('sha256').update(JSON.stringify(a).repeat(1000) + turn).digest()[0]; }
let total = 0;
for (let turn = 0; turn < %d; turn++) total += compare() + hash(turn);
console.log(total);
"""


def prepare(folder):
    npm_package(folder, "deep-equal@2.2.3", "fast-deep-equal@3.1.3")

    def command(name, package, turns):
        return ["node", "--perf-basic-prof", "--interpreted-frames-native-stack", script(folder, name, PROGRAM % (package, turns))]
    return case("Node.js, npm's deep-equal", "`fast-deep-equal`", command("before.js", "deep-equal", 300), command("after.js", "fast-deep-equal", 300),
                command("long.js", "deep-equal", 10000000), r"\bcompare\b|internalDeepEqual|deepEqual|objEquiv|long\.js:5", None,
                record_places=r"\bcompare\b|eepEqual|objEquiv", gain_places=r"inclusive:compare\b", kind="CPU", ask=["--target", "inclusive:compare"])
