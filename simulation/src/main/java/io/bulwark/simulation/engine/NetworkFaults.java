package io.bulwark.simulation.engine;

/**
 * Faults that the network applies to each message.
 *
 * @param delayMillisMin least delay
 * @param delayMillisMax greatest delay; messages overtake each other
 * @param lossPermille how many of 1,000 messages are lost
 * @param repeatPermille how many of 1,000 messages arrive twice
 */
public record NetworkFaults(int delayMillisMin, int delayMillisMax, int lossPermille, int repeatPermille) {
    public NetworkFaults {
        if (delayMillisMin < 0 || delayMillisMax < delayMillisMin || lossPermille < 0 || repeatPermille < 0) {
            throw new IllegalArgumentException("no such network");
        }
    }

    /** 1 to 5 ms, nothing lost. */
    public static NetworkFaults calm() {
        return new NetworkFaults(1, 5, 0, 0);
    }

    /** 1 to 80 ms, 3% lost, 3% repeated. */
    public static NetworkFaults rough() {
        return new NetworkFaults(1, 80, 30, 30);
    }
}
