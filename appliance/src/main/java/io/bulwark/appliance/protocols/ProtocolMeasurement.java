package io.bulwark.appliance.protocols;

/**
 * Operations of one kind under one protocol, all rounds together.
 *
 * @param capped whether the client's link had its limit
 * @param callers operations at once
 * @param sentBytes bytes of frames that the client sent for each operation
 * @param receivedBytes the same, received
 * @param processorShare processor time of client and nodes, as a share of all cores
 * @param macMillis time that one node spent on MACs for each operation
 * @param storeMillis time that one node waited for its store for each operation
 * @param coding the client's coding; zeros unless there was one caller
 */
public record ProtocolMeasurement(
        ComparedProtocol protocol,
        int faults,
        boolean capped,
        boolean isWrite,
        int callers,
        long operations,
        double seconds,
        double meanMillis,
        double p50Millis,
        double p99Millis,
        double sentBytes,
        double receivedBytes,
        double processorShare,
        double macMillis,
        double storeMillis,
        CodingCost coding) {
    /** Returns MiB of blocks per second. */
    public double mebibytesPerSecond() {
        return operations * (double) ComparedProtocol.BLOCK_BYTES / (1 << 20) / seconds;
    }

    /** Returns the rest of the mean latency: network, system, the nodes' checks, and waiting. */
    public double rpcMillis() {
        return meanMillis
                - coding.encodeMillis()
                - coding.hashMillis()
                - coding.fingerprintMillis()
                - macMillis
                - storeMillis;
    }
}
