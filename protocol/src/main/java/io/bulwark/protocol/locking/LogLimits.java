package io.bulwark.protocol.locking;

/** Bounds of a log. */
public final class LogLimits {
    public static final int ENTRIES_MAX = 4_096;

    /** Maximum length of all entries of a log on the wire, in bytes. */
    public static final int BYTES_MAX = 1 << 20;

    /** Maximum number of subtrees that one LOCK names. */
    public static final int SUBTREES_MAX = 64;

    /** Number of results of replayed entries that the replicated state keeps: the holder's outstanding ones. */
    public static final int OUTSTANDING_MAX = 256;

    private LogLimits() {}
}
