package io.bulwark.gateway.s3.signature;

/** Makes chains of chunk signatures for tests of bodies. */
public final class Chains {
    private Chains() {}

    /** Begins a chain with the signature of a request. */
    public static ChunkSignatures begin(byte[] key, String time, String scope, String seed) {
        return new ChunkSignatures(key, time, scope, seed);
    }
}
