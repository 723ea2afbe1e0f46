package io.bulwark.protocol.effect;

/** Time of the last occurrence of an event that has never happened. */
public final class DistantPast {
    /** Time before all others: every pause since is over, and no difference overflows. */
    public static final long MILLIS = Long.MIN_VALUE / 2;

    private DistantPast() {}
}
