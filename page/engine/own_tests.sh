#!/usr/bin/env bash
# Redis's own tests of what the course uses, against the page's Redis:  own_tests.sh BUILD WORK
# Takes the tests from Debian's source package and lets them speak TCP to bridge.mjs. Left out by
# their own tag are those that start a server of their own; by TAGS, those that need a replica or a
# file; by name, the scripts that never end: a page has one thread, so there is nobody to end them
# (tests/test_engine.py shows how the page does). Prints a line for each group, and fails with any.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:?usage: own_tests.sh BUILD WORK}" && pwd)
work=$(mkdir -p "${2:?usage: own_tests.sh BUILD WORK}" && cd "$2" && pwd)
GROUPS_OF_TESTS=(unit/scripting unit/expire unit/multi unit/type/string unit/type/hash unit/type/set unit/type/zset unit/type/stream unit/type/stream-cgroups)
TAGS="-needs:repl -needs:save -needs:reset -needs:debug-reload -slow -large-memory"

command -v tclsh >/dev/null || { echo "own_tests.sh: Redis's tests are written in Tcl: apt-get install tcl" >&2; exit 1; }
if ! ls -d "$work"/redis-*/ >/dev/null 2>&1; then
  source "$here/source.sh"
  redis_source "$work"
fi
cd "$work"/redis-*/
cp "$here/bridge.mjs" "$build/bridge.mjs"
trap 'rm -f "$build/bridge.mjs"; [ -z "${bridge:-}" ] || kill "$bridge" 2>/dev/null || true' EXIT

failed=0
for group in "${GROUPS_OF_TESTS[@]}"; do
  tags=$TAGS # elsewhere "debug" means to load an append-only file; scripting only counts with it
  [ "$group" = unit/scripting ] || tags+=" -needs:debug"
  # a server of its own for each group; it ends when the pipe that is its input is closed
  mkfifo "$work/pipe"
  node "$build/bridge.mjs" 0 < "$work/pipe" > "$work/port" 2>&1 &
  bridge=$!
  exec 7> "$work/pipe"
  rm "$work/pipe"
  for _ in $(seq 300); do grep -q ready "$work/port" && break; sleep 0.1; done
  port=$(sed -n 's/^ready on //p' "$work/port")
  timeout 900 tclsh tests/test_helper.tcl --host 127.0.0.1 --port "${port:?the bridge did not start}" --single "$group" \
    --tags "$tags" --skiptest '/[Tt]imedout' --skiptest '/script timeout' --no-latency --durable 2>&1 7>&- \
    | sed -u 's/\x1b\[[0-9;]*m//g' > "$work/log" || true
  exec 7>&-
  wait "$bridge" 2>/dev/null || true
  bridge=
  passed=$(grep -c '^\[ok\]' "$work/log" || true)
  bad=$(grep -cE '^\[(err|exception)\]' "$work/log" || true)
  echo "$group: $passed passed, $bad failed"
  if [ "$bad" -gt 0 ] || [ "$passed" -eq 0 ]; then
    failed=1
    grep -E '^\[(err|exception)\]' -A 3 "$work/log" || tail -20 "$work/log"
  fi
done
exit $failed
