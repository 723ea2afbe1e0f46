package io.bulwark.transport;

import io.bulwark.protocol.wire.FrameHeader;

/**
 * The bounds of a transport, per connection unless said otherwise.
 *
 * @param eventLoopThreads threads that all connections share
 * @param handshakeTimeoutMillis total time for which the accepting side waits for the other until that is
 *     authenticated; also the limit for connecting, after which a link waits some times as long for its turn
 * @param unauthenticatedMax connections of one server that may be in the handshake at a time; beyond this number,
 *     others wait to be accepted
 * @param connectionsPerPrincipalMax connections of one server that one principal may have; a closed one counts until
 *     all its messages are done
 * @param outboundHighBytes queued bytes from which a peer is not writable; an accepting side reads nothing meanwhile
 * @param outboundMaxBytes queued bytes from which {@link Peer#send} refuses
 * @param outboundTotalBytes limit of bytes queued by the whole transport; no connection may queue more than the
 *     remaining part, so that the slow ones, however many, never take it all
 * @param inboundMaxBytes bytes of messages that are not done, from which nothing more is read
 * @param inboundTotalBytes bytes of such messages of the whole transport; no connection may have more than the
 *     remaining part, but for {@link #INBOUND_LEAST_BYTES}, so that large users, however many, never take it all
 * @param frameTimeoutMillis from a frame's first byte to its last, pauses in reading not counted
 * @param unfinishedTotalBytes bytes of incomplete frames of the whole transport; beyond, the one that has been
 *     unfinished longest is closed, of the principal with the most of them
 * @param reconnectMinMillis longest first pause of a link before it reconnects
 * @param reconnectMaxMillis longest pause of a link
 * @param closeMillis limit for closing to wait for queued frames to leave
 * @param connectionLifeMillis age, plus or minus a quarter, at which a link replaces its connection by a fresh one,
 *     under fresh keys; a server closes those that are twice as old
 */
public record TransportSettings(
        int eventLoopThreads,
        long handshakeTimeoutMillis,
        int unauthenticatedMax,
        int connectionsPerPrincipalMax,
        long outboundHighBytes,
        long outboundMaxBytes,
        long outboundTotalBytes,
        long inboundMaxBytes,
        long inboundTotalBytes,
        long frameTimeoutMillis,
        long unfinishedTotalBytes,
        long reconnectMinMillis,
        long reconnectMaxMillis,
        long closeMillis,
        long connectionLifeMillis) {
    /** Default lifetime of connections. */
    public static final long LIFE_MILLIS_STANDARD = 3_600_000;

    /** Unless said otherwise. */
    public static final long INBOUND_TOTAL_BYTES_STANDARD = 128 << 20;

    /** Bytes of unfinished messages that each connection may always have, regardless of the others. */
    public static final long INBOUND_LEAST_BYTES = 64 << 10;

    private static final int READ_BYTES_MAX = 256 << 10;
    private static final int READ_BYTES_LEAST = 16 << 10;

    public TransportSettings {
        require(eventLoopThreads >= 1 && eventLoopThreads <= 64, "eventLoopThreads", eventLoopThreads);
        require(
                handshakeTimeoutMillis >= 1 && handshakeTimeoutMillis <= 3_600_000,
                "handshakeTimeoutMillis",
                handshakeTimeoutMillis);
        require(unauthenticatedMax >= 1, "unauthenticatedMax", unauthenticatedMax);
        require(connectionsPerPrincipalMax >= 1, "connectionsPerPrincipalMax", connectionsPerPrincipalMax);
        require(outboundHighBytes >= 1, "outboundHighBytes", outboundHighBytes);
        require(
                outboundMaxBytes >= outboundHighBytes
                        && outboundMaxBytes >= FrameHeader.BODY_BYTES_MAX + FrameHeader.BYTES,
                "outboundMaxBytes",
                outboundMaxBytes);
        require(outboundTotalBytes >= outboundMaxBytes, "outboundTotalBytes", outboundTotalBytes);
        require(inboundMaxBytes >= 1, "inboundMaxBytes", inboundMaxBytes);
        require(inboundTotalBytes >= inboundMaxBytes, "inboundTotalBytes", inboundTotalBytes);
        require(frameTimeoutMillis >= 1, "frameTimeoutMillis", frameTimeoutMillis);
        require(unfinishedTotalBytes >= FrameHeader.BODY_BYTES_MAX, "unfinishedTotalBytes", unfinishedTotalBytes);
        require(reconnectMinMillis >= 1, "reconnectMinMillis", reconnectMinMillis);
        require(reconnectMaxMillis >= reconnectMinMillis, "reconnectMaxMillis", reconnectMaxMillis);
        require(closeMillis >= 0, "closeMillis", closeMillis);
        require(connectionLifeMillis >= 1, "connectionLifeMillis", connectionLifeMillis);
    }

    /** Makes settings with connections of the standard life. */
    public TransportSettings(
            int eventLoopThreads,
            long handshakeTimeoutMillis,
            int unauthenticatedMax,
            int connectionsPerPrincipalMax,
            long outboundHighBytes,
            long outboundMaxBytes,
            long outboundTotalBytes,
            long inboundMaxBytes,
            long frameTimeoutMillis,
            long unfinishedTotalBytes,
            long reconnectMinMillis,
            long reconnectMaxMillis,
            long closeMillis) {
        this(
                eventLoopThreads,
                handshakeTimeoutMillis,
                unauthenticatedMax,
                connectionsPerPrincipalMax,
                outboundHighBytes,
                outboundMaxBytes,
                outboundTotalBytes,
                inboundMaxBytes,
                INBOUND_TOTAL_BYTES_STANDARD,
                frameTimeoutMillis,
                unfinishedTotalBytes,
                reconnectMinMillis,
                reconnectMaxMillis,
                closeMillis,
                LIFE_MILLIS_STANDARD);
    }

    /**
     * Returns the defaults: two loops, five seconds for the handshake, 8 and 64 MiB out, 256 MiB in total, 16 and 128
     * MiB in. A frame has 30 s, and unfinished ones 128 MiB; pauses last 50 ms to 5 s, connections an hour.
     */
    public static TransportSettings defaults() {
        return new TransportSettings(
                2, 5_000, 256, 16, 8 << 20, 64 << 20, 256 << 20, 16 << 20, 30_000, 128 << 20, 50, 5_000, 2_000);
    }

    public TransportSettings withEventLoopThreads(int threads) {
        return with(threads, inboundMaxBytes, reconnectMaxMillis, connectionLifeMillis);
    }

    public TransportSettings withInboundMaxBytes(long bytes) {
        return with(eventLoopThreads, bytes, reconnectMaxMillis, connectionLifeMillis);
    }

    public TransportSettings withReconnectMaxMillis(long millis) {
        return with(eventLoopThreads, inboundMaxBytes, millis, connectionLifeMillis);
    }

    public TransportSettings withConnectionLifeMillis(long millis) {
        return with(eventLoopThreads, inboundMaxBytes, reconnectMaxMillis, millis);
    }

    /**
     * Returns how much is read of one connection before the next has its turn. It is small if little is wanted at a
     * time, since each message is work.
     */
    int readBytesMax() {
        return Math.clamp(inboundMaxBytes / 32, READ_BYTES_LEAST, READ_BYTES_MAX);
    }

    private TransportSettings with(int threads, long inboundMax, long reconnectMax, long connectionLife) {
        return new TransportSettings(
                threads,
                handshakeTimeoutMillis,
                unauthenticatedMax,
                connectionsPerPrincipalMax,
                outboundHighBytes,
                outboundMaxBytes,
                outboundTotalBytes,
                inboundMax,
                inboundTotalBytes,
                frameTimeoutMillis,
                unfinishedTotalBytes,
                reconnectMinMillis,
                reconnectMax,
                closeMillis,
                connectionLife);
    }

    private static void require(boolean condition, String name, long value) {
        if (!condition) {
            throw new IllegalArgumentException(name + " cannot be " + value);
        }
    }
}
