# shellcheck shell=bash disable=SC2154
# Sourced by ./demo and ./check: numbered steps with their time, one log file each.
# Before use: cd to the root of the project, set n_step to the number of steps.
export LC_ALL=C
logs=$PWD/build/logs
mkdir -p "$logs"
i_step=0

# Shows the latest line of a running step: in place on a terminal, once a minute elsewhere.
show_progress()
{
    local start=$SECONDS next=60 line
    while IFS= read -r line; do
        if [ -t 1 ]; then
            printf '\r\033[K       %d s  %.65s' $((SECONDS - start)) "$line"
        elif [ $((SECONDS - start)) -ge "$next" ]; then
            printf '       %d s  %.90s\n' $((SECONDS - start)) "$line"
            next=$((SECONDS - start + 60))
        fi
    done
    [ ! -t 1 ] || printf '\r\033[K'
}

announce() # TITLE
{
    i_step=$((i_step + 1))
    printf '%2d/%d  %s\n' "$i_step" "$n_step" "$1"
}

# Says how a step went that has written that log, and returns its status.
conclude() # LOG STATUS SECONDS
{
    if [ "$2" -eq 0 ]; then
        printf '       ok, %d s%s\n' "$3" "$(test_count "$1")"
    else
        printf '       FAILED with status %d after %d s; the end of %s:\n\n' "$2" "$3" "${1#"$PWD"/}"
        tail -n 40 "$1"
        printf '\n'
    fi
    return "$2"
}

# Runs a command with its output in build/logs/LOG.log and returns its status.
step() # LOG TITLE COMMAND...
{
    local log="$logs/$1.log" title="$2" start=$SECONDS status
    shift 2
    announce "$title"
    "$@" 2>&1 </dev/null | tee "$log" | show_progress
    status=${PIPESTATUS[0]}
    conclude "$log" "$status" $((SECONDS - start))
}

# Starts a step that runs beside those that follow, one at a time; end_beside waits for it and
# returns its status.
begin_beside() # LOG TITLE COMMAND...
{
    beside_log="$logs/$1.log" beside_start=$SECONDS
    announce "$2: begins, and runs beside what follows"
    beside_step=$i_step
    shift 2
    "$@" >"$beside_log" 2>&1 </dev/null &
    beside=$!
}

end_beside()
{
    local status=0
    [ -n "${beside-}" ] || return 0
    wait "$beside" || status=$?
    beside=
    printf '%2d/%d  has ended\n' "$beside_step" "$n_step"
    conclude "$beside_log" "$status" $((SECONDS - beside_start))
}

# ", tests: 12" from CTest's closing line "100% tests passed, 0 tests failed out of 12"; nothing for
# a log without one.
test_count() # LOG
{
    sed -n 's/^[0-9]*% tests passed, .* out of \([0-9]*\)$/, tests: \1/p' "$1"
}

# Step one of both commands. Asks nothing of a machine that has everything already.
install_packages() # demo|check
{
    local missing tool
    missing=$(tools/install_packages.sh list "$1")
    if [ -z "$missing" ]; then
        step packages "Packages: all are installed" true
        return
    fi
    if ! command -v apt-get >/dev/null; then
        printf 'This system has no apt-get. COND needs what Debian calls\n\n%s\n\n' "$missing"
        for tool in cmake ninja pkg-config gcc; do
            if ! command -v "$tool" >/dev/null; then
                printf '%s is not there: please install these packages and run this again.\n' "$tool"
                return 1
            fi
        done
        step packages "Packages: going on with the tools that are there" true
        return
    fi
    printf 'These Debian packages are missing:\n\n%s\n\n' "$missing"
    if [ "$(id -u)" -ne 0 ]; then
        if ! command -v sudo >/dev/null; then
            printf 'Installing them takes root or sudo: please do so and run this again.\n'
            return 1
        fi
        sudo -v || return 1
    fi
    step packages "Packages: apt-get install" tools/install_packages.sh install "$1"
}
