#!/bin/sh
# Runs `recollect`: the command of RECOLLECT_BIN, else that of the checkout or environment around this file (also through a link),
# else that on the PATH. Without one a hook is silent, with a line in a log: the session goes on as if the plugin were not there.
here=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd -P)
around() {
  while [ "$here" != / ]; do
    for program in "$here/.venv/bin/recollect" "$here/bin/recollect"; do
      [ -x "$program" ] && [ -f "$program" ] && printf '%s\n' "$program" && return
    done
    here=$(dirname -- "$here")
  done
}
program=${RECOLLECT_BIN:-$(around)}
program=${program:-$(command -v recollect)}
[ -n "$program" ] && [ -x "$program" ] && exec "$program" "$@"
problem="there is no \`recollect\` command${RECOLLECT_BIN:+ at $RECOLLECT_BIN}: set RECOLLECT_BIN or put it on the PATH"
if [ "$1" = hook ]; then
  cat >/dev/null
  folder=${XDG_CACHE_HOME:-$HOME/.cache}/recollect
  mkdir -p "$folder" && printf '%s\n' "$problem" >>"$folder/hooks.log"
  exit 0
fi
printf 'recollect: %s\n' "$problem" >&2
exit 2
