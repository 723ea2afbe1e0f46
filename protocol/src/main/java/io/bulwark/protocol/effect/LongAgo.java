package io.bulwark.protocol.effect;

/** When something happened last that never has. */
public final class LongAgo {
    /** Before all times that are handed in: every pause since is over, and no difference overflows. */
    public static final long MILLIS = Long.MIN_VALUE / 2;

    private LongAgo() {}
}
