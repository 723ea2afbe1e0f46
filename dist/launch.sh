# Starts the executable; sourced by the launchers of a checkout and of a distribution, with the command's arguments. They set
#   java_home   a JDK 25 or a runtime made of one
#   jar         the executable, with its libraries in lib/ beside it
#   caches      the directory for caches of classes
#   launcher    the path of the launcher itself
# shellcheck shell=bash disable=SC2154

has_vectors() {
  if [ -r "$java_home/release" ]; then grep -q '^MODULES=.*jdk\.incubator\.vector' "$java_home/release"; else "$java_home/bin/java" --list-modules | grep -q '^jdk.incubator.vector'; fi
}

# Where no locale is set (cron, containers), Java would take names of files and arguments for ASCII.
case "${LC_ALL:-${LC_CTYPE:-${LANG:-}}}" in "" | C | POSIX) export LC_ALL=C.UTF-8 ;; esac

options=(--enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow "-Dbulwark.launcher=$launcher")
tree() { [ "$1" = -r ] || [ "$1" = --recursive ]; }
large() { [ "$1" = - ] || [ -n "$(find -L "$1" -maxdepth 0 -type f -size +64M 2>/dev/null)" ]; }
short=1
server=
small=
case "${1:-}" in
  up | demo | supervise) server=1 ;;
  # `node add` and the like are an operator's.
  console) case "${2:-}" in "" | -*) small=1 ;; esac ;;
  node | replica | s3) case "${2:-}" in "" | -*) server=1 ;; esac ;;
  sync | verify | bench | simulate) short= ;;
  put) for argument in "${@:2}"; do if tree "$argument" || large "$argument"; then short=; fi; done ;;
  get) for argument in "${@:2}"; do if tree "$argument"; then short=; fi; done ;;
esac
if [ -n "$small" ]; then
  short=
  # 250 MiB in all: the second compiler, and what it learns of methods, would take a fifth of that. Without it vectors are slow
  # (docs/how-to/install.md, memory).
  options+=(-Xms24m -Xmx88m -XX:MaxDirectMemorySize=48m -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+UseCompactObjectHeaders
    -XX:+ExitOnOutOfMemoryError)
elif [ -n "$server" ]; then
  short=
  # A quarter of the machine's memory, or of the container's, but at most 2 GiB for an appliance and 1 GiB for a member; as much
  # again outside the heap. BULWARK_JAVA_OPTIONS=-Xmx... overrides it (docs/how-to/install.md, memory).
  case "$1" in up | demo) ram=8g ;; *) ram=4g ;; esac
  # Fragments of blocks of 1 MiB fill half a region of 1 MiB: the collector would give each a region of its own.
  options+=("-XX:MaxRAM=$ram" -XX:MaxRAMPercentage=25 -XX:G1HeapRegionSize=4m -XX:+ExitOnOutOfMemoryError)
  # The collector returns memory that load has needed once it has not run for two minutes.
  options+=(-XX:G1PeriodicGCInterval=120000 -XX:MinHeapFreeRatio=10 -XX:MaxHeapFreeRatio=30)
else
  options+=(-XX:+UseSerialGC)
fi

if [ -n "$short" ]; then
  # Commands that are done before vectors would pay off. What the first put or get loads, a cache keeps for the next.
  cache=$caches/commands.aot
  options+=('-Xlog:aot*=off' '-Xlog:cds*=off')
  if [ -f "$cache" ]; then
    options+=("-XX:AOTCache=$cache" -XX:+VerifySharedSpaces)
  elif [ -w "$caches" ] && { [ "${1:-}" = put ] || [ "${1:-}" = get ]; }; then
    find "$caches" -name 'commands.aot.*' -mmin +10 -delete # of one that was killed
    record=$cache.$$
    "$java_home/bin/java" "${options[@]}" -XX:AOTMode=record "-XX:AOTConfiguration=$record.conf" -XX:+DisplayVMOutputToStderr \
      ${BULWARK_JAVA_OPTIONS:-} -jar "$jar" "$@" <&0 2> >(grep --line-buffered -v '^ *AOTConfiguration recorded: ' >&2) &
    child=$!
    # A signal is for the command, which is waited for: it cleans up.
    trap 'kill "$child" 2>/dev/null' TERM INT HUP
    while :; do
      code=0
      wait "$child" || code=$?
      kill -0 "$child" 2>/dev/null || break
    done
    trap - TERM INT HUP
    (
      "$java_home/bin/java" "${options[@]}" -XX:AOTMode=create "-XX:AOTConfiguration=$record.conf" "-XX:AOTCache=$record" ${BULWARK_JAVA_OPTIONS:-} -jar "$jar" &&
        [ "$code" = 0 ] && mv "$record" "$cache"
      rm -f "$record" "$record.conf"
    ) </dev/null >/dev/null 2>&1 &
    exit "$code"
  fi
elif [ -z "$small" ] && has_vectors; then
  options+=(--add-modules jdk.incubator.vector)
  # The classes of an appliance and its members, and what the compiler learned of them. A distribution has this cache; in a
  # checkout an appliance that has served makes it when it ends, in a file of its own: no two processes write the same one. A
  # later start takes it as the cache. Before it is complete it begins with zeros. The JVM itself leaves out a cache that
  # does not fit (-XX:AOTMode=auto, its default), or that is damaged: else it would crash.
  notices='WARNING: Using incubator modules: jdk\.incubator\.vector'
  if [ -n "$server" ]; then
    cache=$caches/server.aot
    options+=('-Xlog:aot*=off' '-Xlog:cds*=off')
    is_complete() { [ -f "$1" ] && [ -n "$(head -c 4 "$1" | tr -d '\0')" ]; }
    if [ -w "$caches" ]; then
      if ! is_complete "$cache"; then
        # JavaCommand makes the file *.served. Of two starts at once one finds a file gone.
        for served in "$cache".*.served; do
          if is_complete "${served%.served}" && mv -f "${served%.served}" "$cache" 2>/dev/null; then rm -f "$served"; fi
        done
      fi
      # Of those that did not serve, or were not the first to end.
      keep=(! -name '*.served')
      if is_complete "$cache"; then keep=(); fi
      find "$caches" -name 'server.aot.*' "${keep[@]}" -mmin +10 -delete 2>/dev/null || true
    fi
    if is_complete "$cache"; then
      options+=("-XX:AOTCache=$cache" -XX:+VerifySharedSpaces)
    elif [ -w "$caches" ] && [ "$1" = up ]; then
      record=$cache.$$-$RANDOM
      # The process that only starts another one hands this on (JavaCommand).
      case " $* " in
        *' --detach '*) options+=("-Dbulwark.cache=$record") ;;
        *)
          options+=("-XX:AOTCacheOutput=$record" -XX:+DisplayVMOutputToStderr)
          notices+='|Temporary AOTConfiguration recorded:|Launching child process |Picked up JAVA_TOOL_OPTIONS:'
          notices+='|Reading AOTConfiguration |AOTCache creation is complete:|Removed temporary AOT configuration'
          ;;
      esac
    fi
  fi
  # No flag of the JVM silences these notices, so their lines are left out here. Lines that are shown in place have no end, and
  # pass as they come.
  exec 3>&2
  exec 2> >(
    trap '' INT TERM HUP
    while :; do
      code=0
      IFS= read -r -t 0.2 line || code=$?
      if [ "$code" = 0 ] && [[ $line =~ ^($notices) ]]; then
        case "$notices" in *'|'*) continue ;; *) exec cat >&3 ;; esac
      fi
      printf '%s' "$line" >&3
      if [ "$code" = 0 ]; then echo >&3; elif [ "$code" -le 128 ]; then break; fi
    done
  )
fi
exec "$java_home/bin/java" "${options[@]}" ${BULWARK_JAVA_OPTIONS:-} -jar "$jar" "$@"
