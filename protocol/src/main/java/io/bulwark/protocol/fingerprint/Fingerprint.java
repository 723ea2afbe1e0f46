package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.VectorUnit;
import io.bulwark.protocol.wire.Bytes;
import java.lang.reflect.Constructor;
import java.util.function.Function;

/**
 * 128-bit evaluation fingerprint at one point r (theorem 2.1.4): the fragment is a polynomial over E = GF(2^8)[x] /
 * (x^16 + x^5 + x^2 + 2), and its fingerprint is the value at r. It is linear over GF(2^8), the erasure code's field
 * (theorem 2.1.7). It does not depend on the fragment's length: an appended zero does not change it.
 *
 * <p><b>Order of the bytes.</b> Byte {@code b} of a fragment is, in the coefficient of {@code r^e}, the coordinate of
 * {@code x^j}, with {@code e = 64 * (b / 1024) + b % 64} and {@code j = b % 1024 / 64}. This is a bijection between
 * byte positions and pairs (e, j). So 64 polynomials lie side by side, one per byte lane. Each is evaluated at r^64,
 * and polynomial l is joined with the factor r^l. A fragment of L bytes has coefficients for less than 64 * ceil(L /
 * 1024) powers.
 *
 * <p>For use by one thread at a time. The first fragment of an r computes tables for some microseconds, so use one
 * instance for all fragments of one r.
 */
public final class Fingerprint {
    /** Bytes of a fingerprint, and of r. */
    public static final int LENGTH = Element.BYTES;

    private static final Function<Element, LaneEvaluation> FASTEST = fastest();

    /** The tables of a thread, for the point that it used last: some 60 KiB, which would be much for each version that is known. */
    private static final ThreadLocal<Fingerprint> OF_THREAD = new ThreadLocal<>();

    private final LaneEvaluation lanes;
    private final Multiplier join;
    private Bytes point;

    Fingerprint(Bytes point, Function<Element, LaneEvaluation> evaluation) {
        this.point = point;
        Element r = Element.of(point);
        lanes = evaluation.apply(r);
        join = new Multiplier(r);
    }

    /**
     * The fingerprint function of the point r.
     *
     * @throws IllegalArgumentException unless r has 16 bytes
     */
    public static Fingerprint at(Bytes point) {
        return new Fingerprint(point, FASTEST);
    }

    /** Returns the fingerprint function of the point r on the tables of this thread, until the thread asks for another. */
    static Fingerprint ofThread(Bytes point) {
        Fingerprint known = OF_THREAD.get();
        if (known == null) {
            known = at(point);
            OF_THREAD.set(known);
        } else if (!known.point.equals(point)) {
            known.setPoint(point);
        }
        return known;
    }

    private void setPoint(Bytes other) {
        Element r = Element.of(other);
        point = other;
        lanes.setPoint(r);
        join.setConstant(r);
    }

    /** The 16 bytes of the fragment's fingerprint, coordinate of x^0 first; of the empty fragment, zeros. */
    public Bytes of(Bytes fragment) {
        byte[] sums = lanes.evaluate(fragment);
        Element sum = Element.ZERO;
        int count = sums.length / Element.BYTES;
        for (int lane = Math.min(count, fragment.length()) - 1; lane >= 0; lane--) {
            sum = join.times(sum).plus(PortableLanes.gather(sums, lane, count));
        }
        return sum.toBytes();
    }

    private static Function<Element, LaneEvaluation> fastest() {
        if (VectorUnit.isPresent()) {
            try {
                Constructor<? extends LaneEvaluation> vector = Class.forName(
                                "io.bulwark.protocol.fingerprint.VectorLanes")
                        .asSubclass(LaneEvaluation.class)
                        .getDeclaredConstructor(Element.class);
                vector.newInstance(Element.ZERO);
                return r -> make(vector, r);
            } catch (ReflectiveOperationException | LinkageError e) {
                return PortableLanes::new; // no vectors of a useful width on this machine
            }
        }
        return PortableLanes::new;
    }

    private static LaneEvaluation make(Constructor<? extends LaneEvaluation> vector, Element r) {
        try {
            return vector.newInstance(r);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("the vector path worked once", e);
        }
    }
}
