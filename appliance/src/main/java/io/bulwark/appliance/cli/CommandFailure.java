package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.RoleProcess;

/** A command ends with this exit code and a line on standard error that says what to do. */
public final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The operation failed. */
    public static final int FAILED = 1;

    /** The arguments are wrong. */
    public static final int USAGE = 2;

    /** No appliance, or not enough of it, can be reached (EX_UNAVAILABLE). */
    public static final int UNAVAILABLE = 69;

    /** A configuration, a key or the genesis is missing or does not fit (EX_CONFIG). */
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
