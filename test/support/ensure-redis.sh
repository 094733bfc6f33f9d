#!/usr/bin/env bash
# Makes sure that the tests find redis-server, and openssl for its certificates: installs them with apt where that is
# possible, otherwise says how.
set -u
have_both() { command -v redis-server >/dev/null 2>&1 && command -v openssl >/dev/null 2>&1; }
have_both && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! sudo -n true 2>/dev/null; then as_root=(false); else as_root=(sudo -n); fi
fi
if command -v apt-get >/dev/null 2>&1 && [ "${as_root[*]:-}" != false ]; then
  echo 'redis-server or openssl is missing; installing them with apt-get.'
  export DEBIAN_FRONTEND=noninteractive
  install_redis() {
    "${as_root[@]}" apt-get install -y --no-install-recommends redis-server openssl >/tmp/install-redis.log 2>&1
  }
  install_redis || { "${as_root[@]}" apt-get update -q >>/tmp/install-redis.log 2>&1 && install_redis; }
fi
have_both && exit 0
echo 'The tests need redis-server 6.2 or newer and openssl on the PATH: sudo apt-get install redis-server openssl (macOS: brew install redis openssl).' >&2
exit 1
