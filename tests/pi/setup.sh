#!/usr/bin/env bash
# Prepares build/pi for the tests marked `pi`: both pi packages and a node 22. Needs node >= 20 with npm; does nothing twice.
# pi 1.5.2 is unpacked, not installed: three of its dependencies were never published, and its bundle stands alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=${1:-$here/../../build/pi}
mkdir -p "$target"
cd "$target"
stamp=$(cat "$here/package.json" "$here/package-lock.json" "$here/setup.sh" | sha256sum | cut -c1-16)
[ "$(cat .ready 2>/dev/null)" = "$stamp" ] && exit 0
rm -rf .ready pi-1.5.2 package ./*.tgz
cp "$here/package.json" "$here/package-lock.json" .
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
npm pack --silent @earendil-works/pi-coding-agent@1.5.2 >/dev/null
echo "994588d38aea17555dfe6d6af8fb355de5ac4d7115bd1527b2645af372370f3b9ad13c796d84bdde299eaad21fad77fb3e491a47a111cfe02e4212099689b9c8  earendil-works-pi-coding-agent-1.5.2.tgz" | sha512sum --check --status
tar xzf earendil-works-pi-coding-agent-1.5.2.tgz
mv package pi-1.5.2
rm ./*.tgz
echo "$stamp" >.ready
