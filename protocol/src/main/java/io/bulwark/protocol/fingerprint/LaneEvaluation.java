package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;

/**
 * Evaluates the polynomials of a fragment side by side, for one r; see {@link Fingerprint} for the order of the bytes. An
 * implementation may take each group of 64 lanes as one step, or k groups as one step of 64 * k lanes: polynomial l then
 * has the coefficients of r^l, r^(l + 64k), r^(l + 128k), ... For use by one thread at a time.
 */
interface LaneEvaluation {
    /** Polynomials side by side in a group. */
    int LANES = 64;

    /** Bytes of one coefficient of all polynomials: sixteen rows, one per coordinate, of one byte per lane. */
    int GROUP = LANES * Element.BYTES;

    /** Evaluates at another r from now on. */
    void setPoint(Element r);

    /**
     * Returns sixteen rows of as many bytes as there are lanes: coordinate j, in lane l, of polynomial l evaluated at r^lanes.
     * The next evaluation overwrites the array.
     */
    byte[] evaluate(Bytes fragment);
}
