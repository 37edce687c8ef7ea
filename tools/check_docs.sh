#!/bin/sh
# Checks that README.md and docs/*.md tell the truth about the tree:
#   - every path they name in code, and every file and heading they link to, exists;
#   - every cond_, Cond and COND_ name they use in code is in the sources;
#   - docs/reference/*.md and scenes/scene.schema.json are what tools/make_reference.py writes, and
#     hold every key, function, struct, field and enumeration (tools/check_reference.py);
#   - the first program in README.md is examples/first.c;
#   - CITATION.cff names the version that CMakeLists.txt builds.
# With --update the reference pages and the schema are written anew instead of being compared.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
tool=build/release/bin/cond
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# What the documents say in code, one "file kind text" a line. Kinds: `word` is an inline code of
# one word, `part` a word of a longer code or of a code block, `link` the target of a link.
# shellcheck disable=SC2046
awk '
    function parts(text,   n, i, piece) {
        n = split(text, piece, /[ \t]+/)
        for (i = 1; i <= n; i++)
            if (piece[i] != "")
                print FILENAME, n == 1 ? "word" : "part", piece[i]
    }
    FNR == 1 { fenced = 0 }
    /^ *```/ { fenced = !fenced; next }
    fenced { parts("$ " $0); next }
    {
        n = split($0, piece, "`")
        for (i = 2; i < n; i += 2)
            parts(piece[i])
        while (match($0, /\]\([^)# ]+/)) {
            print FILENAME, "link", substr($0, RSTART + 2, RLENGTH - 2)
            $0 = substr($0, RSTART + RLENGTH)
        }
    }' $(ls README.md docs/*.md 2>/dev/null) /dev/null | sort -u >"$work/named"

# Every name the sources know; a name in a comment does not count as known.
find include src baselines cli mpi test examples bench cmake CMakeLists.txt -type f \
    \( -name '*.[ch]' -o -name '*.cpp' -o -name '*.cmake' -o -name CMakeLists.txt \) \
    -exec sed 's|//.*||' {} + 2>/dev/null | grep -owE 'cond_[a-z0-9_]+|Cond[A-Z][A-Za-z0-9]*|COND_[A-Z0-9_]+' |
    sort -u >"$work/known"
find . -path ./.git -prune -o -path ./build -prune -o -type f -print | sed 's|.*/||' |
    sort -u >"$work/files"

# A path may be written from the root, from the document, or as an #include writes it.
exists() # DOCUMENT PATH
{
    for base in . "$(dirname "$1")" include src; do
        # The path may be a pattern such as src/*.c, so it stays without quotes.
        # shellcheck disable=SC2086
        set -- "$1" "$2" "$base"/$2
        [ ! -e "$3" ] || return 0
    done
    made "$2"
}

# What a build or a run makes need not be there; .gitignore lists it as /name/.
made() # PATH
{
    grep -qxF "/${1%%/*}/" .gitignore
}

# Is this word meant as a path of the tree?
is_path() # KIND TEXT
{
    case $2 in
    /* | -* | *[!A-Za-z0-9_.*/-]* | *//*) return 1 ;;
    ./*) return 0 ;;
    */*)
        [ ! -d "${2%%/*}" ] || return 0
        case "$1 $2" in
        "word "*/ | "word "*.[ch] | "word "*.md | "word "*.sh | "word "*.yaml) return 0 ;;
        esac
        ;;
    esac
    return 1
}

# Is this word meant as the name of a source file, wherever that is?
is_file_name() # KIND TEXT
{
    case "$1 $2" in
    *[!A-Za-z0-9_.\ -]*) return 1 ;;
    "word "?*.[ch] | "word "?*.md | "word "?*.sh | "word "?*.yaml | "word "?*.cmake) return 0 ;;
    esac
    return 1
}

while read -r document kind text; do
    case $kind in
    link)
        case $text in
        *://* | mailto:*) ;;
        *)
            [ -e "$(dirname "$document")/$text" ] || made "$text" ||
                echo "$document: no file for the link $text"
            ;;
        esac
        ;;
    *)
        if is_path "$kind" "$text"; then
            exists "$document" "$text" || echo "$document: no such path: $text"
        elif is_file_name "$kind" "$text"; then
            grep -qxF -e "$text" "$work/files" || echo "$document: no such file: $text"
        fi
        for name in $(printf '%s\n' "$text" |
            grep -owE 'cond_[a-z0-9_]+|Cond[A-Z][A-Za-z0-9]*|COND_[A-Z0-9_]+'); do
            case $name in
            cond_noun_verb | CondNoun | COND_NAME) ;; # the rules of naming themselves
            *_) grep -q "^$name" "$work/known" || echo "$document: no name begins with $name" ;;
            *) grep -qx "$name" "$work/known" || echo "$document: no such name: $name" ;;
            esac
        done
        ;;
    esac
done <"$work/named" >"$work/wrong"

/usr/bin/python3 tools/check_anchors.py >>"$work/wrong" || :

# The reference pages are made from the table of keys, the headers and the package.
if [ -x "$tool" ]; then
    [ "${1-}" != --update ] || /usr/bin/python3 tools/make_reference.py || :
    /usr/bin/python3 tools/make_reference.py --check >>"$work/wrong" || :
    /usr/bin/python3 tools/check_reference.py >"$work/reference" || cat "$work/reference" >>"$work/wrong"
fi

# The first C block of the README is the program that the build compiles.
awk '
    /^```/ && inside { exit }
    inside { print }
    /^```c$/ { inside = 1 }' README.md >"$work/first.c"
if ! diff examples/first.c "$work/first.c" >"$work/diff"; then
    {
        echo "README.md: its first program is not examples/first.c:"
        cat "$work/diff"
    } >>"$work/wrong"
fi

version=$(sed -n 's/^project(cond VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
grep -qx "version: $version" CITATION.cff || echo "CITATION.cff: not version $version" >>"$work/wrong"

cat "$work/wrong"
[ ! -s "$work/wrong" ] || exit 1
echo "$(wc -l <"$work/named") words in code and links: all of them hold"
