#!/bin/sh
# Tries tools/build_viewer.sh and tools/say_viewer.sh with an npm that fetches nothing and one that
# does, on a viewer of one line.   viewer_build.sh SOURCE
set -eu
source=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/tools" "$work/viewer/src" "$work/bin" "$work/build/share/cond"
cp "$source/tools/build_viewer.sh" "$source/tools/say_viewer.sh" "$work/tools"
cd "$work"
echo 'export {};' >viewer/src/main.ts
for name in build.mjs package.json package-lock.json tsconfig.json; do
    echo '{}' >"viewer/$name"
done
page=$work/build/share/cond/viewer.html
PATH=$work/bin:$PATH
unset COND_VIEWER

fail()
{
    echo "viewer_build: $1"
    exit 1
}

# An npm without a network, and one that fetches a compiler which accepts everything.
no_npm()
{
    printf '#!/bin/sh\necho "getaddrinfo EAI_AGAIN"\nexit 1\n' >bin/npm
    chmod +x bin/npm
    rm -rf viewer/node_modules
}
some_npm()
{
    cat >bin/npm <<'NPM'
#!/bin/sh
case "$*" in
*--ignore-scripts*) ;;
*) exit 1 ;;
esac
mkdir -p node_modules/.bin
printf '#!/bin/sh\nexit 0\n' >node_modules/.bin/tsc
chmod +x node_modules/.bin/tsc
NPM
    chmod +x bin/npm
}
printf '#!/bin/sh\ncat src/main.ts >"$2"\necho made\n' >bin/node
chmod +x bin/node
build()
{
    sh tools/build_viewer.sh "$page" >log 2>&1
}
say()
{
    sh tools/say_viewer.sh build run.h5 >said
}

no_npm
build || fail "no network ends the build"
[ ! -e "$page" ] || fail "a page out of nothing"
grep -q "not built: npm could not fetch.*EAI_AGAIN" log || fail "no reason in the log"
say
grep -q "could not be built" said || fail "the demo does not say that there is no page"
grep -q EAI_AGAIN said || fail "the demo does not say why"
! grep -q "cond view" said || fail "the demo names a command that will not work"
! COND_VIEWER=required build || fail "a page that is required is not missed"

some_npm
build || fail "the build fails"
grep -q "export" "$page" || fail "no page"
say
grep -q "build/bin/cond view run.h5" said || fail "the demo does not say how to look"

no_npm
build || fail "the second build fails"
grep -q "export" "$page" || fail "a page of the same sources is not kept"
COND_VIEWER=required build || fail "a page of the same sources does not count"

echo 'export const changed = 1;' >viewer/src/main.ts
build || fail "no network ends the build of changed sources"
[ ! -e "$page" ] || fail "a page of other sources is kept"
say
grep -q "could not be built" said || fail "the demo does not say that the page is gone"
