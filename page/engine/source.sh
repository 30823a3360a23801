# Debian's source package of Redis, with Debian's patches:  redis_source WORK  ->  WORK/redis-VERSION/
# To be sourced. Needs apt-get, patch and the network, but not root: the list of packages that it
# reads is a private one in WORK, and the machine's own stays as it is.

redis_source() (
  set -euo pipefail
  work=$1
  mkdir -p "$work/apt/lists/partial" "$work/cache/archives/partial"
  if [ -f /etc/apt/sources.list.d/debian.sources ]; then
    sed 's/^Types: .*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources > "$work/apt/source.sources"
  elif grep -qs '^deb ' /etc/apt/sources.list; then
    sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > "$work/apt/source.list"
  else
    echo "No Debian package source in /etc/apt/sources.list or /etc/apt/sources.list.d/debian.sources." >&2
    return 1
  fi
  private_apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt" \
      -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/cache" -o APT::Sandbox::User= "$@"
  }
  cd "$work"
  private_apt update
  private_apt source --download-only redis
  tar xf redis_*.orig.tar.gz
  tar xf redis_*.debian.tar.xz
  cd redis-*/
  grep -v '^#' ../debian/patches/series | while read -r name; do
    patch -p1 -s --no-backup-if-mismatch < "../debian/patches/$name"
  done
)
