package io.bulwark.appliance.control;

/**
 * How far the start or the end of an appliance has come.
 *
 * @param ready whether it serves
 * @param doing what it does or waits for meanwhile, in one line; empty if nothing is known
 */
public record ApplianceProgress(boolean ready, String doing) {
    static final ApplianceProgress UNKNOWN = new ApplianceProgress(false, "");
}
