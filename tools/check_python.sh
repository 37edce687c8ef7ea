#!/usr/bin/env bash
# The Python package as others get it: the source archive and a wheel from it, which auditwheel makes whole; the
# wheel in an empty environment, where all tests run without a compiler; types and style. Needs PyPI.
#     tools/check_python.sh [PYTHON]     the interpreter, by default the system's own
# Everything is in build/python-check. Environments stay there, and are made anew when requirements change; so does
# the tree that the archive is unpacked into and what was built of it, so that only what has changed is compiled.
set -eu
export LC_ALL=C OMP_WAIT_POLICY=passive PIP_DISABLE_PIP_VERSION_CHECK=1
cd "$(dirname "$0")/.."
root=$PWD
python=${1:-/usr/bin/python3}
work=$root/build/python-check
dist=$work/dist
mkdir -p "$work"
rm -rf "$dist"

# An environment with what a file of requirements names; one that is there already serves again.
environment() # FOLDER REQUIREMENTS
{
    if ! cmp -s "$2" "$1/requirements.txt"; then
        rm -rf "$1"
        "$python" -m venv "$1" || { echo "venv is missing (Debian: python3-venv)"; exit 1; }
        "$1/bin/pip" install --quiet --requirement "$2" ||
            { echo "PyPI cannot be reached: the package cannot be built and tested without it"; exit 1; }
        cp "$2" "$1/requirements.txt"
    fi
}

echo "Building the source archive and the wheel"
environment "$work/build-env" python/requirements-build.txt
PATH=$work/build-env/bin:$PATH
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
python -m build --no-isolation --sdist --outdir "$dist" . >"$work/sdist.log" 2>&1 || { tail -n 40 "$work/sdist.log"; exit 1; }
rm -rf "$work/unpacked"
mkdir -p "$work/unpacked" "$work/source"
tar -xzf "$dist"/cond_sim-*.tar.gz -C "$work/unpacked" --strip-components 1
# What has changed is copied, with the time of now; what the archive lacks goes, but for the packages of npm.
python - "$work/unpacked" "$work/source" <<'EOF'
import filecmp, pathlib, shutil, sys

new, old = map(pathlib.Path, sys.argv[1:])
files = {path.relative_to(new) for path in new.rglob("*") if path.is_file()}
for name in sorted(files):
    if not (old / name).is_file() or not filecmp.cmp(new / name, old / name, shallow=False):
        (old / name).parent.mkdir(parents=True, exist_ok=True)
        (old / name).unlink(missing_ok=True)
        shutil.copyfile(new / name, old / name)
        shutil.copymode(new / name, old / name)
for path in [path for path in old.rglob("*") if path.is_file() and "node_modules" not in path.parts]:
    if path.relative_to(old) not in files:
        path.unlink()
EOF
python -m build --no-isolation --wheel --outdir "$dist/plain" -Cbuild-dir="$work/wheel-build" "$work/source" \
    >"$work/wheel.log" 2>&1 || { tail -n 40 "$work/wheel.log"; exit 1; }
auditwheel repair "$dist"/plain/*.whl --wheel-dir "$dist" >"$work/audit.log" 2>&1 || { tail -n 20 "$work/audit.log"; exit 1; }
# The tag names the oldest glibc that the wheel runs with; installers take no other wheel from an index.
case $(echo "$dist"/*.whl) in
*manylinux_2_*) ;;
*) echo "the wheel has no manylinux tag: $(echo "$dist"/*.whl)"; exit 1 ;;
esac
ls -l "$dist"/*.whl "$dist"/*.tar.gz | awk '{print "  " $NF ", " $5 " bytes"}' | sed "s|$root/||"

echo "Types and style"
ruff check python
environment "$work/test-env" python/requirements-test.txt
test_python=$work/test-env/bin/python
"$test_python" -m pip install --quiet --force-reinstall --no-deps "$dist"/*.whl
site=$("$test_python" -c 'import sysconfig; print(sysconfig.get_path("platlib"))')
# A folder with the package alone: beside others mypy would take those for the project's own.
rm -rf "$work/typed"
mkdir "$work/typed"
cp -r "$site/cond" "$site/cond_tool" "$work/typed/"
(cd "$work/typed" && mypy --python-executable "$test_python" --config-file "$root/pyproject.toml" --cache-dir "$work/mypy" \
    -p cond -p cond_tool)

echo "Tests of the installed wheel, without a compiler"
rm -rf "$work/elsewhere"
mkdir "$work/elsewhere"
cd "$work/elsewhere"
env -i HOME="$work/elsewhere" LC_ALL=C "$work/test-env/bin/cond" --version
env -i HOME="$work/elsewhere" LC_ALL=C PATH=/nowhere OMP_WAIT_POLICY=passive OMP_NUM_THREADS=2 \
    "$test_python" -m pytest -q -p no:cacheprovider --numprocesses "$(nproc)" "$root/python/tests"
