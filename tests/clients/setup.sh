#!/usr/bin/env bash
# Prepares build/clients for the tests marked `clients`: Claude Code and Codex, some 640 MB. Needs node >= 18 with npm; does nothing
# twice. Their packages for other platforms are not fetched.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-$here/../../build/clients}
mkdir -p "$target"
cd "$target"
stamp=$(cat "$here/package.json" "$here/package-lock.json" "$here/setup.sh" | sha256sum | cut -c1-16)
[ "$(cat .ready 2>/dev/null)" = "$stamp" ] && exit 0
rm -f .ready
cp "$here/package.json" "$here/package-lock.json" .
npm ci --no-audit --no-fund --loglevel=error
echo "$stamp" >.ready
