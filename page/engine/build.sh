#!/usr/bin/env bash
# Redis itself as WebAssembly:  build.sh OUT  ->  OUT/redis.mjs, OUT/redis.wasm, the licences. About
# 90 seconds on two cores; nothing is done when OUT already holds what these sources make.
# Takes Debian's source package of redis (BSD-3-Clause, with Debian's security patches) and Debian's
# emscripten. The same sources give the same bytes (tests/test_engine.py holds it to that).
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
out=$(mkdir -p "${1:?usage: build.sh OUT}" && cd "$1" && pwd)
ours=(ae_none.c bio.c clock.c wire.c build.sh source.sh)
stamp=$(cd "$here" && sha256sum "${ours[@]}" | sha256sum | cut -d' ' -f1)

stop() { printf 'make engine: %s\n' "$@" >&2; exit 1; }

cp "$here/engine.mjs" "$out/engine.mjs"
if [ -f "$out/redis.wasm" ] && [ "$(cat "$out/redis.stamp" 2>/dev/null)" = "$stamp" ]; then
  echo "Redis for the page is up to date: $out"
  exit 0
fi

# ── The tools ──
command -v apt-get >/dev/null ||
  stop "Redis for the page is built from Debian's packages, and this machine has no apt-get." \
       "Without it the site is complete all the same: pages show their recorded outputs."
if ! command -v emcc >/dev/null || [ ! -d /usr/share/nodejs/acorn ] || ! command -v dpkg-source >/dev/null; then
  packages=(emscripten node-acorn patch xz-utils dpkg-dev)
  [ "$(id -u)" = 0 ] || stop "these packages are missing; install them once as root, then run it again:" \
                             "    apt-get install --no-install-recommends ${packages[*]}"
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi

# ── The source ──
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
source "$here/source.sh"
redis_source "$work" || stop "Debian's source package of redis could not be had; the line above says why."
cd "$work"/redis-*/

# ── Ours in place of threads, sockets and clocks; main() returns, and the page drives ──
cp "$here/bio.c" "$here/wire.c" "$here/clock.c" src/
cp "$here/ae_none.c" src/ae_select.c
sed -i '/^void acceptTcpHandler(/i void wireAcceptClient(connection *conn) { acceptCommonHandler(conn, 0, NULL); }' src/networking.c
sed -i -e '/^    aeMain(server.el);$/d' -e '/^    aeDeleteEventLoop(server.el);$/d' \
       -e '/Configured to not listen anywhere/{n;s/exit(1);/(void)0;/}' src/server.c
grep -q wireAcceptClient src/networking.c && grep -qF '(void)0;' src/server.c && ! grep -q '^    aeMain(' src/server.c ||
  stop "this Redis ($(sed -n 's/.*VERSION "\(.*\)"/\1/p' src/version.h)) no longer has the lines that build.sh edits; it knows 7.0."

# ── Compile ──
cd src
version=$(sed -n 's/^#define REDIS_VERSION "\(.*\)"/\1/p' version.h)
printf '%s\n' '#define REDIS_GIT_SHA1 "00000000"' '#define REDIS_GIT_DIRTY "0"' '#define REDIS_BUILD_ID "wasm"' \
  '#include "version.h"' '#define REDIS_BUILD_ID_RAW REDIS_VERSION REDIS_BUILD_ID REDIS_GIT_DIRTY REDIS_GIT_SHA1' > release.h
export NODE_PATH=/usr/share/nodejs objects="$work/objects"
mkdir -p "$objects"
compile() { emcc -O2 -w -std=gnu11 "${@:2}" -c "$1" -o "$objects/$(echo "$1" | tr '/.' '__').o"; }
export -f compile
server='-DREDIS_STATIC= -D_GNU_SOURCE -I../deps/hiredis -I../deps/lua/src -I../deps/hdr_histogram -I../deps/linenoise'
# long long: the build has 32-bit longs, and string.format('%d') must hold milliseconds since 1970.
lua='-DLUA_USELONGLONG -DLUA_ANSI -DENABLE_CJSON_GLOBAL -DREDIS_STATIC= -DLUA_USE_MKSTEMP -D__C99FEATURES__=1'
{
  for object in $(sed -n 's/^REDIS_SERVER_OBJ=//p' Makefile) wire.o clock.o; do echo "${object%.o}.c $server"; done
  for name in alloc async dict hiredis net read sds sockcompat; do echo "../deps/hiredis/$name.c -D_GNU_SOURCE"; done
  echo '../deps/hdr_histogram/hdr_histogram.c -DHDR_MALLOC_INCLUDE=\"hdr_redis_malloc.h\"'
  for file in ../deps/lua/src/*.c; do
    case $file in */lua.c | */luac.c | */print.c) ;; *) echo "$file $lua" ;; esac
  done
} | xargs -P "$(nproc)" -L1 bash -c 'compile "$@"' _

# PRINTF_LONG_DOUBLE: without it INCRBYFLOAT and HINCRBYFLOAT print rounded numbers.
emcc -O2 "$objects"/*.o -o "$work/redis.js" \
  -s MODULARIZE=1 -s EXPORT_NAME=createRedis -s ENVIRONMENT=worker,node \
  -s ALLOW_MEMORY_GROWTH=1 -s INITIAL_MEMORY=33554432 -s PRINTF_LONG_DOUBLE=1 \
  -s INVOKE_RUN=0 -s EXIT_RUNTIME=0 -s EXPORTED_FUNCTIONS=_main,_malloc,_free -s EXPORTED_RUNTIME_METHODS=callMain,HEAPU8

# ── Deliver: the stamp last, so that a broken run is never taken for a finished one ──
{
  # in Node the compiler's loader expects two names that a module does not have by itself
  echo "const IN_NODE = typeof process === 'object' && !!process.versions?.node;"
  echo "const require = IN_NODE ? (await import('node:module')).createRequire(import.meta.url) : undefined, __dirname = '.';"
  cat "$work/redis.js"
  echo 'export default createRedis;'
} > "$out/redis.mjs"
install -m 644 "$work/redis.wasm" "$out/redis.wasm"
cp ../COPYING "$out/COPYING.redis"
cp ../deps/lua/COPYRIGHT "$out/COPYRIGHT.lua"
cp ../../debian/copyright "$out/copyright.debian"
echo "$version" > "$out/redis.version"
echo "$stamp" > "$out/redis.stamp"
echo "Redis $version for the page: $out ($(wc -c < "$out/redis.wasm") bytes)"
