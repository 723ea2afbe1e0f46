package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.ProcessLimits;
import io.bulwark.appliance.boot.RoleProcess;

/** A command ends with this exit code and a line on standard error that says what to do. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The command is done. A member ended as it was told to. */
    public static final int DONE = 0;

    /**
     * The operation failed or was refused. {@code status}: more is broken than is tolerated. {@code verify}: an object
     * could not be read. A member: it was told to end, and was not at rest in time.
     */
    public static final int FAILED = 1;

    /** The arguments are wrong. */
    public static final int USAGE = 2;

    /** Nothing answers, or too few replicas or nodes do (EX_UNAVAILABLE). */
    public static final int UNAVAILABLE = 69;

    /** A limit that the system sets for the process is too low, such as that of open files (EX_OSERR). */
    public static final int LIMITS = ProcessLimits.EXIT_CODE;

    /**
     * The system cannot read a file of the configuration: permissions, a failing disk, too many open files (EX_IOERR).
     * Starting again may help.
     */
    public static final int FILES = 74;

    /**
     * A configuration, a key or the genesis is missing or does not fit, or a principal was revoked (EX_CONFIG). Starting
     * again does not help.
     */
    public static final int CONFIG = RoleProcess.CONFIG;

    private final int exitCode;

    public CommandFailure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    public int exitCode() {
        return exitCode;
    }
}
