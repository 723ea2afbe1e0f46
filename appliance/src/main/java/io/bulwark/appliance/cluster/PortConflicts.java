package io.bulwark.appliance.cluster;

import io.bulwark.transport.Destination;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Check whether ports of this machine are free, before anything is made that depends on them. */
public final class PortConflicts {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int NAMED_MAX = 3;
    private static final long PAUSE_MILLIS = 100;

    /** Linux's tables of sockets, of which each line is: number, own address, the other's, state, and after five more the inode. */
    private static final List<Path> SOCKETS = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private static final String LISTENS = "0A";
    private static final int INODE_FIELD = 9;

    private PortConflicts() {}

    /**
     * Returns which ports are taken, and who listens there if that can be found out.
     *
     * @param wanted ports by their purpose
     * @param patienceMillis how long to wait for a killed appliance's remains to end by themselves
     * @return empty if all are free
     */
    public static Optional<String> findHolder(Map<String, Integer> wanted, long patienceMillis)
            throws InterruptedException {
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(patienceMillis);
        while (true) {
            List<Map.Entry<String, Integer>> taken = wanted.entrySet().stream()
                    .filter(port -> isTaken(port.getValue()))
                    .toList();
            if (taken.isEmpty()) {
                return Optional.empty();
            }
            if (System.nanoTime() - deadline >= 0) {
                return Optional.of(text(taken));
            }
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    private static String text(List<Map.Entry<String, Integer>> taken) {
        List<String> named = new ArrayList<>();
        for (var port : taken.subList(0, Math.min(NAMED_MAX, taken.size()))) {
            named.add("port " + port.getValue() + " (" + port.getKey() + ") is taken"
                    + holder(port.getValue()).map(holder -> " by " + holder).orElse(""));
        }
        int more = taken.size() - named.size();
        return String.join(", ", named) + (more == 0 ? "" : ", and " + more + " more");
    }

    private static boolean isTaken(int port) {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(Destination.of(LOOPBACK, port));
            return false;
        } catch (IOException e) {
            return true;
        }
    }

    /** Returns the process that listens there, if this system tells and this user may know. */
    static Optional<String> holder(int port) {
        try {
            Set<String> sockets = new HashSet<>();
            for (Path table : SOCKETS) {
                if (Files.isReadable(table)) {
                    sockets.addAll(listening(Files.readAllLines(table), port));
                }
            }
            return ProcessHandle.allProcesses()
                    .filter(process -> holdsAny(process.pid(), sockets))
                    .map(process -> process.info()
                            .command()
                            .map(command -> Path.of(command).getFileName() + " (process " + process.pid() + ")")
                            .orElse("process " + process.pid()))
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Set<String> listening(List<String> lines, int port) {
        Set<String> sockets = new HashSet<>();
        for (String line : lines) {
            String[] fields = line.strip().split("\\s+", -1);
            if (fields.length > INODE_FIELD
                    && fields[1].endsWith(String.format(":%04X", port))
                    && fields[3].equals(LISTENS)) {
                sockets.add("socket:[" + fields[INODE_FIELD] + "]");
            }
        }
        return sockets;
    }

    private static boolean holdsAny(long pid, Set<String> sockets) {
        try (Stream<Path> files = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
            return files.anyMatch(file -> {
                try {
                    return sockets.contains(Files.readSymbolicLink(file).toString());
                } catch (IOException e) {
                    return false; // Closed meanwhile.
                }
            });
        } catch (IOException | UncheckedIOException e) {
            return false; // Another user's, or gone.
        }
    }
}
