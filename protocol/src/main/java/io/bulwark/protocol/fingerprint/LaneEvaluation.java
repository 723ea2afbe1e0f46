package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;

/** Evaluates the 64 polynomials of a fragment at r^64, for one r; see {@link Fingerprint} for the order of the bytes. */
@FunctionalInterface
interface LaneEvaluation {
    /** Polynomials side by side. */
    int LANES = 64;

    /** Bytes of one coefficient of all polynomials: sixteen rows, one per coordinate, of one byte per lane. */
    int GROUP = LANES * Element.BYTES;

    /** The sixteen rows of the sums: byte 64 * j + l is coordinate j of polynomial l at r^64. */
    byte[] evaluate(Bytes fragment);
}
