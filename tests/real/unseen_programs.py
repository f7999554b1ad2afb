# SPDX-License-Identifier: BSD-2-Clause
"""unseen_programs - more cases of programs.py, written on 2026-11-29 before the tool had seen them."""
import os
import random
import subprocess

from programs import program
from inputs import again_and_again, case, script, sh, text_file, words_of_text


@program("xsltproc")
def xslt_key(place):
    def sheet(name, find):
        return script(place, name, f"""<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/><xsl:key name="by_id" match="part" use="@id"/>
<xsl:template match="/"><xsl:for-each select="//use"><xsl:variable name="i" select="@ref"/>
<xsl:value-of select="{find}/@name"/><xsl:text>;</xsl:text></xsl:for-each></xsl:template></xsl:stylesheet>
""")
    draw = random.Random(3)
    data = script(place, "data.xml", "<all>" + "".join(f'<part id="p{i}" name="n{i * i}"><size>{i}</size></part>\n' for i in range(2000))
                  + "".join(f'<use ref="p{draw.randrange(2000)}"/>' for i in range(900)) + "</all>\n")
    slow, fast = sheet("slow.xsl", "//part[@id = $i]"), sheet("fast.xsl", "key('by_id', $i)")
    return case("xsltproc, //part[@id = $i]", "key()", ["xsltproc", slow, data], ["xsltproc", fast, data],
                again_and_again("xsltproc", slow, data), r"xmlXPath(CompiledEval|Eval|NodeSet|Comp|Run|Next|Step)|xsltValueOf|xmlXPath", None,
                record_places=r"xmlXPath")


@program("tar")
def tar_records(place):
    files = os.path.join(place, "files")
    os.mkdir(files)
    for i in range(60):
        text_file(files, f"file{i}", 20000, 2)
    def command(factor):
        return sh(f'tar -b {factor} -cf - "$@" | cat >/dev/null', files)
    return case("tar -b 1 to a pipe", "-b 256", command(1), command(256), sh('while :; do tar -b 1 -cf - "$@"; done | cat >/dev/null', files),
                r"syscall:write|\bwrite\b|pipe|all of tar|all of cat|syscall:read", None, record_places="write")


@program("find")
def find_exec(place):
    files = os.path.join(place, "files")
    for i in range(300):
        os.makedirs(os.path.join(files, f"d{i % 10}"), exist_ok=True)
        text_file(os.path.join(files, f"d{i % 10}"), f"file{i}", 20)
    def command(end):
        return sh(f'find "$1" -type f -exec md5sum {{}} {end} >/dev/null', files)
    return case("find -exec md5sum {} ;", "-exec +", command(r"\;"), command("+"), sh(r'while :; do find "$1" -type f -exec md5sum {} \; >/dev/null; done', files),
                r"all of md5sum|fork|execve|clone|posix_spawn|_dl_|process:", None, record_places="md5sum")


@program("python3")
def python_dates(place):
    def work(name, parse, times):
        return script(place, name, f"""from datetime import datetime
import zlib
rows = [f'2026-{{1 + i % 12:02}}-{{1 + i % 28:02}}T{{i % 24:02}}:{{i % 60:02}}:00,{{i * i}},' + 'x' * 200 for i in range(1000)]
total = 0
for turn in range({times}):
    for row in rows:
        date, value, text = row.split(',')
        when = {parse}
        total += when.day + int(value) + zlib.crc32(text.encode() * 20)
print(total)
""")
    slow, fast = "datetime.strptime(date, '%Y-%m-%dT%H:%M:%S')", "datetime.fromisoformat(date)"
    return case("python3, datetime.strptime", "fromisoformat", ["/usr/bin/python3", work("before.py", slow, 120)],
                ["/usr/bin/python3", work("after.py", fast, 120)], ["/usr/bin/python3", work("long.py", slow, 100000)],
                r"strptime|long\.py:8", None, record_places="_strptime")


@program("python3")
def python_json(place):
    def work(name, options, times):
        return script(place, name, f"""import json
import zlib
rows = [{{'id': i, 'name': 'name' + str(i * i), 'tags': ['a', 'b', str(i)]}} for i in range(300)]
total = 0
for turn in range({times}):
    text = json.dumps(rows{options})
    total += zlib.crc32(text.encode() * 10)
    total += len(json.loads(text))
print(total)
""")
    return case("python3, json.dumps with indent", "without", ["/usr/bin/python3", work("before.py", ", indent=1", 400)],
                ["/usr/bin/python3", work("after.py", "", 400)], ["/usr/bin/python3", work("long.py", ", indent=1", 1000000)],
                r"encoder\.py|iterencode|dumps|long\.py:6|encode", None, record_places="iterencode|dumps")


@program("clang++")
def clang(place):
    text = script(place, "input.cpp", "#include <algorithm>\n#include <map>\n#include <regex>\n#include <string>\n#include <vector>\n"
                  "int count(const std::string &text)\n{\n\tstd::map<std::string, std::vector<int>> words;\n"
                  "\tstd::regex word(\"[a-z]+\");\n\tfor (std::sregex_iterator i(text.begin(), text.end(), word), end; i != end; ++i)\n"
                  "\t\twords[i->str()].push_back(1);\n\treturn (int)words.size();\n}\n")
    def command(level):
        return ["clang++", level, "-c", "-o", os.path.join(place, "out.o"), text]
    return case("clang++ -O2 of a file with std::regex", "-O0", command("-O2"), command("-O0"), again_and_again(*command("-O2")),
                r"PassManager|EmitBackendOutput|BackendConsumer|optimize", None, record_places="PassManager.*run|EmitBackendOutput")


@program("git")
def git_pickaxe(place):
    folder = os.path.join(place, "repo")
    subprocess.run(["git", "init", "-q", folder], check=True)
    git = ["git", "-C", folder, "-c", "user.name=a", "-c", "user.email=a@b", "-c", "gc.auto=0"]
    lines, draw = words_of_text(3000), random.Random(2)
    for _ in range(150):
        for _ in range(30):
            lines[draw.randrange(len(lines))] = words_of_text(1, draw.randrange(10 ** 6))[0]
        script(folder, "file", "\n".join(lines) + "\n")
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-q", "-m", "change"], check=True)
    subprocess.run([*git, "repack", "-qadf", "--depth=100", "--window=50"], check=True)
    def command(limit):
        return [*git, "-c", f"core.deltaBaseCacheLimit={limit}", "log", "-S", "no such text", "--oneline"]
    return case("git log -S, deltaBaseCacheLimit=1k", "96m", command("1k"), command("96m"), again_and_again(*command("1k")),
                r"inflate|patch_delta|unpack_entry", None, record_places="inflate")


@program("node")
def node_spread(place):
    node = next((path for path in ("/usr/bin/node", "/usr/local/bin/node") if os.path.exists(path)), "node")
    def work(name, add, times):
        return script(place, name, f"""const names = []
for (let i = 0; i < 400; i++) names.push('name' + i * i)
function group(words) {{
  let counts = {{}}
  for (const word of words) {{
    {add}
  }}
  return counts
}}
function digest(turn) {{
  let sum = turn
  for (let i = 0; i < 3000000; i++) sum = (Math.imul(sum, 31) + i) | 0
  return sum
}}
let found = 0
for (let turn = 0; turn < {times}; turn++) {{
  found += Object.keys(group(names)).length
  found += digest(turn) & 1
}}
console.log(found)
""")
    slow, fast = "counts = { ...counts, [word]: 1 }", "counts[word] = 1"
    return case("Node.js, an object is spread for each key", "a key is set", [node, work("before.js", slow, 60)],
                [node, work("after.js", fast, 60)], [node, work("long.js", slow, 1000000)], r"\bgroup\b|long\.js:[56]\b", None, record_places=r"\bgroup\b")


@program("convert")
def resize(place):
    picture = os.path.join(place, "in.ppm")
    subprocess.run(["convert", "-size", "1200x1200", "plasma:fractal", "-depth", "8", picture], check=True)
    def command(shape):
        return ["convert", picture, "-filter", shape, "-resize", "1900x1900", "-negate", os.path.join(place, "out.ppm")]
    return case("convert -filter Lanczos -resize, two threads", "-filter Point", command("Lanczos"), command("Point"),
                again_and_again(*command("Lanczos")), r"Resize|Filter", None, record_places="Resize")


@program("xmllint")
def xml_schema(place):
    schema = script(place, "data.xsd", """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:element name="all"><xs:complexType><xs:sequence>
<xs:element name="part" maxOccurs="unbounded"><xs:complexType><xs:sequence><xs:element name="size" type="xs:decimal"/><xs:element name="day" type="xs:date"/>
</xs:sequence><xs:attribute name="id" type="xs:ID" use="required"/></xs:complexType></xs:element></xs:sequence></xs:complexType></xs:element></xs:schema>
""")
    data = script(place, "data.xml", "<all>" + "".join(
        f'<part id="p{i}"><size>{i}.5</size><day>2026-0{1 + i % 9}-1{i % 9}</day></part>\n' for i in range(60000)) + "</all>\n")
    return case("xmllint --schema", "without", ["xmllint", "--noout", "--schema", schema, data], ["xmllint", "--noout", data],
                again_and_again("xmllint", "--noout", "--schema", schema, data), r"xmlSchema", None, record_places="xmlSchemaValidate")


@program("go")
def go_regexp(place):
    def binary(name, declare, use):
        code = script(place, name + ".go", f"""package main
import ("fmt"; "hash/crc32"; "os"; "regexp"; "strconv"; "sync"; "strings")
{declare}
func isDate(text string) bool {{
	{use}
}}
func weigh(text string) int {{ return int(crc32.ChecksumIEEE([]byte(strings.Repeat(text, 60))) & 1) }}
func main() {{
	rounds, _ := strconv.Atoi(os.Args[1])
	var group sync.WaitGroup
	sums := make([]int, 2)
	for worker := 0; worker < 2; worker++ {{
		group.Add(1)
		go func(worker int) {{
			defer group.Done()
			for i := 0; i < rounds; i++ {{
				text := "2026-11-" + strconv.Itoa(i % 30) + " some more text after it"
				if isDate(text) {{ sums[worker]++ }}
				sums[worker] += weigh(text)
			}}
		}}(worker)
	}}
	group.Wait()
	fmt.Println(sums)
}}
""")
        path = os.path.join(place, name)
        subprocess.run(["go", "build", "-o", path, code], check=True, env={**os.environ, "GOCACHE": os.path.join(place, "cache")})
        return path
    slow = binary("slow", "", 'found, _ := regexp.MatchString(`^\\d+-\\d+-(\\d+)`, text); return found')
    fast = binary("fast", 'var date = regexp.MustCompile(`^\\d+-\\d+-(\\d+)`)', "return date.MatchString(text)")
    return case("Go, regexp.MatchString in a loop", "compiled once", [slow, "60000"], [fast, "60000"], [slow, "100000000"],
                r"regexp\.(Compile|MatchString|compile)|isDate|regexp/syntax", None, record_places=r"regexp\.(Compile|compile)|regexp/syntax")


@program("make", "flock", "bzip2")
def make_lock(place):
    data = text_file(place, "data", 30000)
    def makefile(name, lock):
        return script(place, name, f"all: {' '.join(f'job{i}' for i in range(12))}\njob%:\n\t{lock}bzip2 -9 -k -c {data} | md5sum >/dev/null\n\tgzip -c {data} >/dev/null\n.PHONY: all\n")
    slow, fast = makefile("slow.mk", f"flock {os.path.join(place, 'lock')} "), makefile("fast.mk", "")
    def command(path):
        return ["make", "-s", "-j2", "-f", path, "all"]
    return case("make -j2, a lock around bzip2", "no lock", command(slow), command(fast), again_and_again(*command(slow)), r"flock|bzip2|BZ2_", 100,
                record_places="flock")


@program("tclsh")
def tcl_lists(place):
    def work(name, add, times):
        return script(place, name, f"""proc rows {{n}} {{
    set rows {{}}
    for {{set i 0}} {{$i < $n}} {{incr i}} {{ {add} }}
    return [lsort -integer $rows]
}}
set total 0
for {{set turn 0}} {{$turn < {times}}} {{incr turn}} {{ incr total [llength [rows 12000]] }}
puts $total
""")
    slow, fast = "set rows [linsert $rows 0 [expr {$i * 7919 % 20011}]]", "lappend rows [expr {$i * 7919 % 20011}]"
    return case("tclsh, linsert at the front", "lappend", ["tclsh", work("before.tcl", slow, 10)], ["tclsh", work("after.tcl", fast, 10)],
                ["tclsh", work("long.tcl", slow, 1000000)], r"Linsert|ListObj|LinsertObjCmd|memmove|TclListObj", None, record_places="insert|ListObj")


@program("opusenc", "ffmpeg")
def opus(place):
    sound = os.path.join(place, "sound.wav")
    subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "anoisesrc=d=60:c=pink:r=48000", "-ac", "2", sound], check=True)
    def command(level):
        return ["opusenc", "--quiet", "--comp", str(level), sound, os.path.join(place, "out.opus")]
    return case("opusenc --comp 10", "--comp 0", command(10), command(0), again_and_again(*command(10)), r"opus_\w*encode|ope_encoder_write", None,
                record_places=r"opus_\w*encode|ope_encoder_write")


@program("cwebp", "convert")
def webp(place):
    picture = os.path.join(place, "in.png")
    subprocess.run(["convert", "-size", "1000x1000", "plasma:fractal", "-depth", "8", picture], check=True)
    def command(method):
        return ["cwebp", "-quiet", "-m", str(method), picture, "-o", os.path.join(place, "out.webp")]
    return case("cwebp -m 6", "-m 1", command(6), command(1), again_and_again(*command(6)), r"WebPEncode|VP8|libwebp", None, record_places="WebPEncode|libwebp")
