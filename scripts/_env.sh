# Sourced by the scripts: finds uv, or gets it, and syncs the locked environment into .venv. POSIX sh.
# shellcheck shell=sh
set -eu
ROOT=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
cd "$ROOT"

say() { printf '%s\n' "$*" >&2; }

find_python() {
    for candidate in "${LEXHOP_PYTHON:-}" python3 python3.13 python3.12 python3.11; do
        [ -n "$candidate" ] || continue
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

find_uv() {
    if command -v uv >/dev/null 2>&1; then UV=uv; return 0; fi
    UV="$ROOT/.tools/bin/uv"
    if [ -x "$UV" ]; then return 0; fi
    say "uv is not here; getting it into .tools"
    if "$PYTHON" -m venv "$ROOT/.tools" >/dev/null 2>&1 && "$ROOT/.tools/bin/python" -m pip install --quiet uv >&2; then return 0; fi
    rm -rf "$ROOT/.tools"
    if "$PYTHON" -m pip --version >/dev/null 2>&1 && "$PYTHON" -m pip install --quiet --target "$ROOT/.tools" uv >&2; then return 0; fi
    rm -rf "$ROOT/.tools"
    say "uv is missing and cannot be fetched: this Python has neither a working venv nor pip (Debian: apt install python3-venv)"
    exit 1
}

# sync runtime | sync dev: the environment exactly as locked, and lexhop itself from this checkout.
sync() {
    PYTHON=$(find_python) || { say "Python 3.11 or newer is missing; install it, or name it in LEXHOP_PYTHON"; exit 1; }
    find_uv
    lock="requirements/$1.txt"
    stamp=".venv/.lexhop-$1"
    state=$(cat "$lock" pyproject.toml | cksum; "$PYTHON" -V)
    if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$state" ]; then
        say "setting up the environment ($lock)"
        [ -x .venv/bin/python ] || "$UV" venv --quiet --python "$PYTHON" .venv
        VIRTUAL_ENV="$ROOT/.venv" "$UV" pip sync --quiet --require-hashes "$lock"
        VIRTUAL_ENV="$ROOT/.venv" "$UV" pip install --quiet --no-deps --no-build-isolation --editable .
        rm -f .venv/.lexhop-*
        printf '%s' "$state" > "$stamp"
    fi
    PATH="$ROOT/.venv/bin:$PATH"
    export PATH
}
