#!/usr/bin/env python3
"""Counts the tuning numbers of src/ and holds them against a budget.

A tuning number is a number that somebody chose: a tolerance, a limit, a share, a count of
iterations. Each lives in src/LAYER/tuning.h under a name that no other number of the project has:

    #define COND_STEEP 0.3 // [1] least cosine between a contact's normal and the face it is on:
                           // steeper faces, beyond 73 degrees, do not count
    enum {
        COND_SEARCH_STEPS = 128, // [count] of one search; the longest of test_gjk takes 40
    };

The comment stands beside the number or directly above it. It has a unit in square brackets, or (1),
or the word "share" or "count"; it says what the number means and where it comes from: a formula, a
source, or the experiment that chose it.

What is counted
  named    in any other file: a constant of one number (static const or const, of an arithmetic type
           and with a name of capitals), a number in an enum without a name, a #define of a number
  inline   literals in expressions: numbers with a point or an exponent; integers over 16 that bound
           a loop or a comparison, or that are the work of cond_threads
  twice    names of counted numbers, and of those in tuning.h, that two files define
  unsaid   numbers of a tuning.h whose comment has no unit, or says too little

What is not counted
  - mathematics: the numbers of EXACT below, pi and the cosine of 45 degrees, whole divisors such as
    in x / 5040.0, and guards against the range of a double: at least 1e30, or at most 1e-30;
  - tables: constant arrays with their values, such as quadrature points or unit vectors;
  - sizes: names that stand within [] of a declaration of the same file, or of a header, and those of
    a header within [] of any file; scratch (_SCRATCH), counted in numbers of what it is for; and
    blocks (_BLOCK): how many items are stored or handled together. A block decides speed, and which
    terms of a sum are added first, but never whether something holds, ends or is chosen. Sizes are
    listed apart, without a budget;
  - kinds: enums with a name, 0 and 1 in any enum, negative numbers that mean a kind, bit masks
    (hexadecimal numbers, shifts, enums of powers of two);
  - indices: anything within [];
  - what a format, a manual or a system prescribes: constants and coefficients from a handbook, what
    MuJoCo takes where a file says nothing, the lines of a processor's cache; and the looks of
    pictures and of the texts that messages quote: FORMATS below;
  - defaults and ranges that a user can set: functions with "default" in their name, names that end
    in _DEFAULT, and the tables of keys in KEYS below; the documents list them.

A group of layers has a budget of numbers outside of tuning.h, of numbers in all, of names that
occur twice, and of unsaid ones. The budgets only go down: after numbers were removed, --lower
writes the new budgets into this file.

    tools/check_numbers.py            fails where a budget is exceeded or a rule is broken
    tools/check_numbers.py --table    counts by layer
    tools/check_numbers.py --list LAYER...   each counted number of these layers, with its place
    tools/check_numbers.py --lower    budgets down to today's counts
"""
import collections
import os
import re
import sys

GROUPS = {
    "detection": ["collide", "geometry", "audit", "nodalize"],
    "foundation": ["base", "device", "math", "problem", "assemble"],
    "solvers": ["strategy", "newton", "law", "vfpi", "soft", "linear", "cuda"],
    "model": ["model", "mesh", "body", "scene", "potential"],
    "step": ["step", "state", "sim", "integrate", "impact", "correct", "sleep", "sense",
             "baseline_step"],
    "files": ["mesh_file", "robot_file", "scene_file", "hdf5", "record", "render", "env", "fclib", "compat"],
}

# group: (numbers outside of tuning.h, all numbers, names that occur twice, numbers unsaid)
BUDGET = {
    "detection": (0, 35, 0, 0),
    "foundation": (0, 34, 0, 0),
    "solvers": (0, 65, 0, 0),
    "model": (0, 14, 0, 0),
    "step": (0, 45, 0, 0),
    "files": (0, 7, 0, 0),
}

EXACT = {0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 9.0, 10.0, 12.0, 16.0, 24.0, 180.0, 360.0,
         0.125, 0.25, 0.375, 0.4, 0.5, 0.75, 1.5, 2.5}
PI = re.compile(r"3\.14159|6\.28318|1\.57079|57\.2957|0\.57735|0\.70710|1\.41421|1\.73205|0\.61803")

# File and line (patterns) where the numbers are those of a format, of a system, or of a picture.
FORMATS = [
    (r".*", r"_POSIX_C_SOURCE|_XOPEN_SOURCE|_GNU_SOURCE|vector_size|tv_n?sec|prefetch"),
    (r"/(mesh_read|mesh_write|mesh_cells|mesh_array|heights_read|png_write|hdf_driver|hdf_file)",
     r"^((?!MOST|MAX|DEEPEST|ATTEMPTS).)*$"),
    (r"/(mjcf_\w+)", r"cond_mjcf_number|double (friction|ref)|1000\.0"),
    (r"/(picture\w*|visual|tessellate\w*|light|render\w*)\.[ch]", r"^((?!1e-).)*$"),
    (r"pack\.c", r"VERSION"),
    (r"/tuning\.h$", r"COND_(DEFLATE_GROWTH|WATER_DENSITY|ARENA_ALIGNMENT|TORSION|PICTURE_\w+|\w+_SHOWN)\b|"
                     r"COND_MUJOCO_(STEP|SOLREF|SOLIMP)\b|_DEFAULT\b"),
    (r"/timer\.c", r"nanoseconds"),
]

# Files that are tables of keys: defaults and ranges, printed by cond check --keys.
KEYS = re.compile(r"key_table|scene_keys|_keys\.c$|defaults\.c$")

NUMBER = re.compile(r"(?<![\w.])(?:0[xX][0-9a-fA-F]+|(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)"
                    r"[uUlLfF]*(?![\w.])")
TYPES = (r"(?:unsigned\s+)?(?:double|float|int|long|size_t|unsigned|u?int\d+_t|ptrdiff_t)"
         r"(?:\s+(?:int|long))*")
CONSTANT = re.compile(r"^(\s*)(?:static\s+)?const\s+" + TYPES + r"\s+([A-Z][A-Z0-9_]*\s*=[^;{]*);",
                      re.M)
TABLE = re.compile(r"const\s+[\w ]+?\*?\s*\w+(?:\[[^\]]*\])+\s*=\s*\{")
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.*)$", re.M)
ENUM = re.compile(r"(typedef\s+)?enum(\s+\w+)?\s*\{([^}]*)\}(\s*\w+)?", re.S)
SIZE = re.compile(r"_(BLOCK|SCRATCH)$")
UNIT = re.compile(r"\[[^\]]+\]|\(1\)|\bshares?\b|\bcounts?\b")

COUNTS = ["numbers outside of tuning.h", "numbers", "names that occur twice",
          "numbers without unit or meaning"]

Number = collections.namedtuple("Number", "path line kind name text")


def blank(match):
    return re.sub(r"[^\n]", " ", match.group(0))


def strip(text):
    """The text without comments, strings and characters, each line where it was."""
    pattern = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
    text = pattern.sub(blank, text)
    return re.sub(r"\\\n", " \n", text)


def closing(text, start):
    """The index behind the brace that closes the one at start."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i + 1
    return len(text)


def without_tables(text):
    while True:
        match = TABLE.search(text)
        if not match:
            return text
        end = closing(text, match.end() - 1)
        text = text[:match.start()] + re.sub(r"[^\n]", " ", text[match.start():end]) + text[end:]


def without_defaults(text):
    """The text without the bodies of functions that give defaults."""
    for match in list(re.finditer(r"^[\w][^\n;=]*\b\w*default\w*\([^;{]*\)\s*\{", text, re.M)):
        end = closing(text, match.end() - 1)
        text = text[:match.end()] + re.sub(r"[^\n]", " ", text[match.end():end]) + text[end:]
    return text


def value_of(literal):
    literal = literal.rstrip("uUlLfF") if not literal.lower().startswith("0x") else literal
    return float(literal) if not literal.lower().startswith("0x") else None


def is_real(literal):
    return "." in literal or ("e" in literal.lower() and not literal.lower().startswith("0x"))


def is_guard(literal):
    """Guards against the range of a double."""
    return value_of(literal) >= 1e30 or value_of(literal) <= 1e-30


def is_mathematics(literal):
    if literal.lower().startswith("0x") or PI.match(literal):
        return True
    value = value_of(literal)
    return value in EXACT or is_guard(literal)


def is_number(expression):
    """Is this the value of a named number: literals and operators alone, and no shift or mask?"""
    rest = NUMBER.sub("", expression)
    if not NUMBER.search(expression) or re.search(r"[A-Za-z]", rest) or "<<" in rest:
        return False
    alone = NUMBER.fullmatch(expression.strip())
    return not (alone and is_real(alone.group(0)) and (PI.match(alone.group(0)) or is_guard(alone.group(0))))


def is_format(path, text):
    return any(re.search(p, path) and re.search(t, text) for p, t in FORMATS)


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def erase(text, start, end):
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


def named_numbers(path, text):
    """The named numbers of a file, and the text without their definitions."""
    found = []
    for match in list(CONSTANT.finditer(text)):
        for declared in re.finditer(r"([A-Z][A-Z0-9_]*)\s*=\s*([^,;]*)", match.group(2)):
            if is_number(declared.group(2)) and not PI.search(declared.group(2)) and \
                    not is_format(path, declared.group(0)):
                position = match.start(2) + declared.start()
                found.append(Number(path, line_of(text, position), "named", declared.group(1),
                                    declared.group(2).strip()))
        text = erase(text, match.start(), match.end())
    for match in list(ENUM.finditer(text)):
        values = re.findall(r"=\s*([^,]*?)\s*(?:,|$)", match.group(3))
        masks = len(values) > 1 and all(v.isdigit() for v in values) and \
            int(values[0]) in (1, 2) and all(int(w) == 2 * int(v) for v, w in zip(values, values[1:]))
        if not match.group(2) and not match.group(4) and not masks:
            for entry in re.finditer(r"(\w+)\s*=\s*([^,]*)", match.group(3)):
                value = entry.group(2).strip()
                if is_number(value) and value not in ("0", "1") and value[:1] != "-" and \
                        not value.lower().startswith("0x") and not is_format(path, entry.group(0)):
                    position = match.start(3) + entry.start()
                    line = line_of(text, position)
                    found.append(Number(path, line, "named", entry.group(1), value))
        text = erase(text, match.start(), match.end())
    for match in list(DEFINE.finditer(text)):
        value = match.group(2).strip()
        if not value:
            # A long name: the number stands in the next line.
            following = text[match.end():].lstrip("\n").split("\n", 1)[0].strip()
            value = following if is_number(following) else ""
        if value and is_number(value) and value not in ("0", "1") and not PI.search(value) and \
                not value.lower().startswith("0x") and not is_format(path, match.group(1)):
            found.append(Number(path, line_of(text, match.start()), "named", match.group(1), value))
        if not value or is_number(value):
            end = match.end()
            if not match.group(2).strip() and value:
                end = text.index(value, end) + len(value)
            text = erase(text, match.start(), end)
    return found, text


def inline_numbers(path, text):
    text = without_defaults(without_tables(text))
    while True:
        bare = re.sub(r"\[[^\[\]]*\]", blank, text)
        if bare == text:
            break
        text = bare
    found = []
    for n, line in enumerate(text.split("\n"), 1):
        if re.match(r"\s*#\s*(include|if|elif|line|pragma|error)", line):
            continue
        for match in NUMBER.finditer(line):
            literal, before, after = match.group(0), line[:match.start()], line[match.end():]
            if is_real(literal):
                if is_mathematics(literal) or re.search(r"/ $", before) and literal.endswith(".0"):
                    continue
            elif literal.lower().startswith("0x") or value_of(literal) <= 16 or not (
                    re.search(r"[^<>-][<>]=? $", before) or before.endswith("cond_threads(")):
                continue
            if not is_format(path, line.strip()):
                found.append(Number(path, n, "inline", "", literal))
    return found


def check_tuning(path, text, wrong):
    """The numbers of a tuning.h, and those whose comment has no unit or says too little."""
    unsaid = []
    numbers, rest = named_numbers(path, strip(text))
    lines = text.split("\n")
    for number in numbers:
        comment, i = [], number.line - 1
        beside = re.search(r"//(.*)", lines[i])
        if beside:
            comment.append(beside.group(1))
            while i + 1 < len(lines) and lines[i + 1].lstrip().startswith("//") and \
                    re.match(r"\s{8,}//", lines[i + 1]):
                i += 1
                comment.append(lines[i].split("//", 1)[1])
        i = number.line - 2
        while i >= 0 and lines[i].lstrip().startswith("//"):
            comment.insert(0, lines[i].split("//", 1)[1])
            i -= 1
        comment = " ".join(comment)
        if not UNIT.search(comment) or len(comment.split()) < 6:
            unsaid.append(number)
    for number in inline_numbers(path, rest):
        wrong.append(f"{path}:{number.line}: {number.text}: a number without a name")
    return [n._replace(kind="unsaid" if n in unsaid else "tuning") for n in numbers]


def sizes_of(texts):
    """Names that stand within the brackets of a declaration."""
    names = set()
    declared = re.compile(r"(?:\b\w+[\s*]+|[,}]\s*|\(\*)\w+\)?((?:\[[^\[\]]*\])+)\s*(?=[;,=)])",
                          re.M)
    for text in texts:
        for match in declared.finditer(text):
            names.update(re.findall(r"[A-Z][A-Z0-9_]+", match.group(1)))
    return names


def read_sources(folder, endings):
    """The texts of the sources in a folder by their paths."""
    texts = {}
    for base, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith(endings):
                path = os.path.join(base, name)
                with open(path, encoding="utf-8") as source:
                    texts[path] = source.read()
    return texts


def read_layer(folder, everywhere, wrong):
    """The numbers and the sizes of a layer; everywhere: names within [] of any declaration."""
    numbers, sizes, texts = [], [], read_sources(folder, (".c", ".h"))
    stripped = {path: strip(text) for path, text in texts.items()}
    public = sizes_of([t for p, t in stripped.items() if p.endswith(".h")])
    for path in sorted(texts):
        if os.path.basename(path) == "tuning.h":
            for number in check_tuning(path, texts[path], wrong):
                (sizes if SIZE.search(number.name) else numbers).append(number)
            continue
        own = sizes_of([stripped[path]]) | public
        if path.endswith(".h"):
            own |= everywhere
        named, rest = named_numbers(path, stripped[path])
        for number in named:
            (sizes if number.name in own or SIZE.search(number.name) else numbers).append(number)
        if not KEYS.search(path):
            numbers += inline_numbers(path, rest)
    return numbers, sizes


def twice(numbers):
    """Names that two files define, with their files."""
    where = collections.defaultdict(set)
    for number in numbers:
        if number.name:
            where[number.name].add(number.path)
    return {name: paths for name, paths in where.items() if len(paths) > 1}


def count(numbers, double):
    """What BUDGET holds of these numbers."""
    outside = sum(n.kind in ("named", "inline") for n in numbers)
    names = {n.name for n in numbers if n.name in double}
    return outside, len(numbers), len(names), sum(n.kind == "unsaid" for n in numbers)


def print_list(by_layer, sizes, layers):
    for layer in layers or by_layer:
        for n in by_layer.get(layer, []):
            print(f"{n.path}:{n.line}: {n.kind} {n.name} {n.text}")
        for n in sizes.get(layer, []):
            print(f"{n.path}:{n.line}: size {n.name} {n.text}")


def print_table(by_layer, sizes, counts, double):
    print(f"{'layer':<12}{'tuning.h':>9}{'named':>7}{'inline':>8}{'all':>6}{'sizes':>7}")
    for layer, numbers in by_layer.items():
        kinds = collections.Counter(n.kind for n in numbers)
        print(f"{layer:<12}{kinds['tuning'] + kinds['unsaid']:>9}{kinds['named']:>7}"
              f"{kinds['inline']:>8}{len(numbers):>6}{len(sizes[layer]):>7}")
    print(f"\n{'group':<12}{'outside':>9}{'all':>7}")
    for group, (outside, total, *_) in counts.items():
        print(f"{group:<12}{outside:>9}{total:>7}")
    outside, total = (sum(c[k] for c in counts.values()) for k in (0, 1))
    print(f"{'':<12}{outside:>9}{total:>7}\n")
    for name, paths in sorted(double.items()):
        print(f"twice: {name}: {' '.join(sorted(paths))}")


def lower(counts):
    """Writes the counts into this script where they are below the budgets."""
    with open(__file__, encoding="utf-8") as script:
        text = script.read()
    rows = "".join(f'    "{group}": {tuple(map(min, today, BUDGET.get(group, today)))},\n'
                   for group, today in counts.items())
    text = re.sub(r"(\nBUDGET = \{\n).*?(\}\n)", lambda m: m.group(1) + rows + m.group(2), text,
                  count=1, flags=re.S)
    with open(__file__, "w", encoding="utf-8") as script:
        script.write(text)


def main():
    os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    wrong, by_layer, sizes = [], {}, {}
    sources = read_sources("src", (".c", ".h", ".cu", ".cuh"))
    everywhere = sizes_of([strip(text) for text in sources.values()])
    for layer in sorted(os.listdir("src")):
        if os.path.isdir(os.path.join("src", layer)):
            by_layer[layer], sizes[layer] = read_layer(os.path.join("src", layer), everywhere, wrong)
            if not any(layer in layers for layers in GROUPS.values()):
                wrong.append(f"src/{layer}: in no group of tools/check_numbers.py")
    everything = [n for numbers in by_layer.values() for n in numbers]
    double = twice(everything)
    counts = {group: count([n for layer in layers for n in by_layer.get(layer, [])], double)
              for group, layers in GROUPS.items()}

    arguments = sys.argv[1:]
    if arguments[:1] == ["--list"]:
        print_list(by_layer, sizes, arguments[1:])
        return 0
    if arguments == ["--lower"]:
        lower(counts)
        return 0
    if arguments == ["--table"]:
        print_table(by_layer, sizes, counts, double)
    for group, layers in GROUPS.items():
        for what, now, most in zip(COUNTS, counts[group], BUDGET[group]):
            if now > most:
                there = ", ".join(layer for layer in layers if layer in by_layer)
                wrong.append(f"{group} ({there}): {now} {what}, its budget is {most} "
                             "(see --list, --table)")
    for line in wrong:
        print(line)
    if not wrong:
        print(f"{len(everything)} tuning numbers, {len(double)} names twice: within the budgets")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
