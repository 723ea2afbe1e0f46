package io.bulwark.appliance.cluster;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** A process of this machine that somebody else started. */
public final class RunningProcess {
    private final Optional<ProcessHandle> handle;

    private RunningProcess(Optional<ProcessHandle> handle) {
        this.handle = handle;
    }

    /** Returns the process that has this number now. A later process with the same number is a different one. */
    public static RunningProcess of(long pid) {
        return new RunningProcess(pid <= 0 ? Optional.empty() : ProcessHandle.of(pid));
    }

    /** Returns whether it still runs. A zombie, whose parent has not read its exit code, does not. */
    public boolean isAlive() {
        return handle.isPresent()
                && handle.get().isAlive()
                && !isZombie(handle.get().pid());
    }

    /** Asks it to end, as Ctrl-C does. */
    public void terminate() {
        handle.ifPresent(ProcessHandle::destroy);
    }

    /** The state in Linux's process table follows the name, which is in brackets. */
    private static boolean isZombie(long pid) {
        try {
            String line = Files.readString(Path.of("/proc", Long.toString(pid), "stat"), StandardCharsets.ISO_8859_1);
            return line.substring(line.lastIndexOf(')') + 1).strip().startsWith("Z");
        } catch (IOException e) {
            return false; // Another system, or it has just ended.
        }
    }
}
