# Moves options of every command, which may stand before the command, behind it; sourced by the launchers first.
# shellcheck shell=bash
leading=()
while [ $# -gt 0 ]; do
  case "$1" in
    --data | --profile)
      [ $# -ge 2 ] || break
      leading+=("$1" "$2")
      shift 2
      ;;
    --data=* | --profile=* | --json)
      leading+=("$1")
      shift
      ;;
    *) break ;;
  esac
done
if [ ${#leading[@]} -gt 0 ]; then
  # What follows -- are no options.
  words=()
  while [ $# -gt 0 ] && [ "$1" != -- ]; do
    words+=("$1")
    shift
  done
  set -- ${words[@]+"${words[@]}"} "${leading[@]}" "$@"
fi
