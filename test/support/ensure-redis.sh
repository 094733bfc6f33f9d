#!/usr/bin/env bash
# Makes sure that the tests find a redis-server: installs it with apt where that is possible, otherwise says how.
set -u
command -v redis-server >/dev/null 2>&1 && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then as_root=(false); else as_root=(sudo -n); fi
fi
if command -v apt-get >/dev/null 2>&1 && [ "${as_root[*]:-}" != false ]; then
  echo 'redis-server is missing; installing it with apt-get.'
  export DEBIAN_FRONTEND=noninteractive
  install_redis() {
    "${as_root[@]}" apt-get install -y --no-install-recommends redis-server >/tmp/install-redis.log 2>&1
  }
  install_redis || { "${as_root[@]}" apt-get update -q >>/tmp/install-redis.log 2>&1 && install_redis; }
fi
command -v redis-server >/dev/null 2>&1 && exit 0
echo 'The tests need redis-server 6.2 or newer on the PATH: sudo apt-get install redis-server (macOS: brew install redis).' >&2
exit 1
