package io.bulwark.appliance.up;

/** Reports that the end of an appliance was requested before it had started. */
public final class StartAbandonedException extends Exception {
    private static final long serialVersionUID = 1L;

    StartAbandonedException() {
        super("the appliance was stopped during startup");
    }
}
