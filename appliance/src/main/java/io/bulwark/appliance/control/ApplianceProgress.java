package io.bulwark.appliance.control;

/**
 * Progress of the start or the end of an appliance.
 *
 * @param ready whether it serves
 * @param doing the current action or wait, in one line; empty if nothing is known
 */
public record ApplianceProgress(boolean ready, String doing) {
    static final ApplianceProgress UNKNOWN = new ApplianceProgress(false, "");
}
