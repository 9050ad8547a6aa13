# Sourced by the scripts under tests/: where things are, and what has to be there.
# Everything that is downloaded or built goes into one folder outside the clone.

set -u
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export DORIS_CONNECTOR_CACHE=${DORIS_CONNECTOR_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flink-doris-connector}
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$DORIS_CONNECTOR_CACHE/target}
mkdir -p "$CARGO_TARGET_DIR"
VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml" | head -n 1)
CONNECTOR_JAR=$ROOT/build/libs/flink-doris-connector-$VERSION.jar
STANDIN=$CARGO_TARGET_DIR/debug/doris-standin

die() { printf '%s\n' "$*" >&2; exit 1; }
# For an error that names logs: their folder stays, drop_dir leaves it alone.
die_with_logs() { KEEP_DIR=1; die "$@"; }
drop_dir() { [ -n "${KEEP_DIR:-}" ] || rm -rf "$1"; }

# Each tool that cannot be had without touching the system is named in one line.
need_tools() {
    command -v cargo >/dev/null || die "missing: Rust (cargo) – install it with rustup, https://rustup.rs"
    command -v javac >/dev/null || die "missing: a JDK, 17 or newer (javac) – Debian: apt-get install openjdk-17-jdk-headless"
    command -v python3 >/dev/null || die "missing: python3 with pip – Debian: apt-get install python3 python3-pip"
    local jdk
    jdk=$(javac -version 2>&1 | sed 's/javac \([0-9]*\).*/\1/')
    [ "$jdk" -ge 17 ] || die "JDK $jdk found, 17 or newer is needed to build – Debian: apt-get install openjdk-17-jdk-headless"
    command -v cc >/dev/null || die "missing: a C compiler and linker (cc) – Debian: apt-get install gcc libc6-dev"
    if ! command -v gradle >/dev/null; then
        if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
            echo "installing Gradle with apt-get" >&2
            { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y gradle; } >"$DORIS_CONNECTOR_CACHE/apt.log" 2>&1 \
                || die "Gradle could not be installed, see $DORIS_CONNECTOR_CACHE/apt.log"
        else
            die "missing: gradle – Debian: apt-get install gradle; elsewhere https://gradle.org/install"
        fi
    fi
}

gradle_run() { (cd "$ROOT" && gradle --no-daemon -q "$@"); }
cargo_shown() { (cd "$ROOT" && "$ROOT/tests/lib/cargo-shown" "$@"); }

# build GRADLE_ARGUMENTS: the native parts, then what Gradle makes of them; a line per stage, since the first time takes minutes.
# With -PnativeRelease the library is the one that users get.
build() {
    local release='' argument
    for argument; do [ "$argument" = -PnativeRelease ] && release=--release; done
    echo "building 1/3: the native library, in Rust${release:+, optimised over all crates}" >&2
    cargo_shown build --locked -p doris-flink-native $release || die "the native library could not be built"
    echo "building 2/3: the stand-in server, in Rust" >&2
    cargo_shown build --locked -p doris-standin --bin doris-standin || die "the stand-in server could not be built"
    echo "building 3/3: Java (the first time Gradle fetches its jars)" >&2
    gradle_run "$@" || die "the build failed"
}

# Starts the stand-in on free ports, where Ctrl-C in the terminal does not reach it: sets STANDIN_PID, FE_HTTP, FE_MYSQL, STANDIN_ADMIN. Further arguments go to it.
start_standin() {
    local dir=$1
    shift
    rm -f "$dir/ports.json"
    setsid "$STANDIN" --fe-http 0 --mysql 0 --fe-flight 0 --be-http 0 --be-flight 0 --admin 0 --ports-file "$dir/ports.json" "$@" \
        >"$dir/standin.log" 2>&1 &
    STANDIN_PID=$!
    local i
    for i in $(seq 300); do
        [ -s "$dir/ports.json" ] && break
        kill -0 "$STANDIN_PID" 2>/dev/null || { cat "$dir/standin.log" >&2; die_with_logs "the stand-in server did not start, see $dir/standin.log"; }
        sleep 0.1
    done
    [ -s "$dir/ports.json" ] || die_with_logs "the stand-in server did not come up within 30 s, see $dir/standin.log"
    FE_HTTP=$(port_of "$dir/ports.json" fe http)
    FE_MYSQL=$(port_of "$dir/ports.json" fe mysql)
    STANDIN_ADMIN=$(python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))["admin"])' "$dir/ports.json")
}
port_of() { python3 -c 'import json,sys; print(json.load(open(sys.argv[1]))[sys.argv[2]][0][sys.argv[3]])' "$@"; }

# Ends a process that a script started, and waits until it is gone.
stop_pid() {
    [ -n "${1:-}" ] && kill -0 "$1" 2>/dev/null || return 0
    kill "$1" 2>/dev/null
    local i
    for i in $(seq 100); do kill -0 "$1" 2>/dev/null || return 0; sleep 0.1; done
    kill -9 "$1" 2>/dev/null
}
