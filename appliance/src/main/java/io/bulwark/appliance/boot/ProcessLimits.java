package io.bulwark.appliance.boot;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Limits that the system sets for this process, checked before work begins: below them it would fail somewhere, with
 * an error that names something else. The class needs no other, as few more can be loaded then.
 */
public final class ProcessLimits {
    /** Exit code (EX_OSERR) of a process whose limits are too low. */
    public static final int EXIT_CODE = 71;

    /** Open files of an appliance in one process: its stores, and the connections between its members. */
    public static final long APPLIANCE_FILES = 2048;

    /** Open files of a member in a process of its own. */
    public static final long MEMBER_FILES = 1024;

    /** Open files of a command: the classes, and a connection with each member. */
    public static final long COMMAND_FILES = 160;

    private ProcessLimits() {}

    /**
     * Returns the reason why a process with these limits cannot work, for people; empty if it can.
     *
     * @param files that the process needs to open
     */
    public static Optional<String> problem(long files) {
        return problem(filesMax(), files);
    }

    static Optional<String> problem(OptionalLong allowed, long files) {
        return allowed.isEmpty() || allowed.getAsLong() >= files
                ? Optional.empty()
                : Optional.of("this process may open " + allowed.getAsLong() + " files, and needs " + files
                        + "; raise the limit with `ulimit -n " + files
                        + "` before the start, or LimitNOFILE in systemd");
    }

    /** Returns the limit of open files, which Java raises as far as the system lets it; empty if there is none. */
    public static OptionalLong filesMax() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                        && system.getMaxFileDescriptorCount() > 0
                ? OptionalLong.of(system.getMaxFileDescriptorCount())
                : OptionalLong.empty();
    }

    /** Returns the files that this process has open now; empty where the system does not tell. */
    public static OptionalLong filesOpen() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? OptionalLong.of(system.getOpenFileDescriptorCount())
                : OptionalLong.empty();
    }
}
