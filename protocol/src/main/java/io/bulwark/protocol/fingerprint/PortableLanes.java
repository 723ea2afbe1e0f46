package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import org.jspecify.annotations.Nullable;

/** Horner's rule in every lane, with tables of 64-bit words. */
final class PortableLanes implements LaneEvaluation {
    private final Element r;

    /** By r^64; made for the first fragment of more than one group, of which a race makes the same twice. */
    private @Nullable Multiplier step;

    PortableLanes(Element r) {
        this.r = r;
    }

    @Override
    public byte[] evaluate(Bytes fragment) {
        int from = Math.max(0, fragment.length() - 1) / GROUP * GROUP;
        byte[] last = new byte[GROUP];
        fragment.copyTo(from, last, 0, fragment.length() - from);
        return from == 0 ? last : evaluate(last, fragment.slice(0, from));
    }

    private byte[] evaluate(byte[] last, Bytes others) {
        long[] low = new long[LANES];
        long[] high = new long[LANES];
        for (int lane = 0; lane < LANES; lane++) {
            Element element = gather(last, lane, LANES);
            low[lane] = element.low();
            high[lane] = element.high();
        }
        Multiplier factor = step();
        for (int from = others.length() - GROUP; from >= 0; from -= GROUP) {
            step(factor, low, high, others.array(), others.offset() + from);
        }
        byte[] rows = new byte[GROUP];
        for (int lane = 0; lane < LANES; lane++) {
            for (int j = 0; j < 8; j++) {
                rows[j * LANES + lane] = (byte) (low[lane] >>> (8 * j));
                rows[(j + 8) * LANES + lane] = (byte) (high[lane] >>> (8 * j));
            }
        }
        return rows;
    }

    private Multiplier step() {
        Multiplier known = step;
        if (known == null) {
            known = new Multiplier(r.squared(6));
            step = known;
        }
        return known;
    }

    /** Every lane times r^64, plus its element of the group. */
    private static void step(Multiplier factor, long[] low, long[] high, byte[] data, int at) {
        for (int lane = 0; lane < LANES; lane++) {
            Element sum = factor.times(new Element(low[lane], high[lane])).plus(gather(data, at + lane, LANES));
            low[lane] = sum.low();
            high[lane] = sum.high();
        }
    }

    /** The element whose coordinates stand {@code stride} bytes apart. */
    static Element gather(byte[] rows, int at, int stride) {
        long low = 0;
        long high = 0;
        for (int j = 7; j >= 0; j--) {
            low = (low << 8) | (rows[at + j * stride] & 0xFF);
            high = (high << 8) | (rows[at + (j + 8) * stride] & 0xFF);
        }
        return new Element(low, high);
    }
}
