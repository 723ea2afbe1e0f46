package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;

/** Horner's rule in every lane, with tables of 64-bit words. */
final class PortableLanes implements LaneEvaluation {
    private final Multiplier step;

    PortableLanes(Element r) {
        step = new Multiplier(r.squared(6));
    }

    @Override
    public byte[] evaluate(Bytes fragment) {
        long[] low = new long[LANES];
        long[] high = new long[LANES];
        byte[] data = fragment.array();
        for (int from = (fragment.length() - 1) / GROUP * GROUP; from >= 0; from -= GROUP) {
            if (from + GROUP <= fragment.length()) {
                step(low, high, data, fragment.offset() + from);
            } else {
                byte[] last = new byte[GROUP];
                fragment.copyTo(from, last, 0, fragment.length() - from);
                step(low, high, last, 0);
            }
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

    /** Every lane times r^64, plus its element of the group. */
    private void step(long[] low, long[] high, byte[] data, int at) {
        for (int lane = 0; lane < LANES; lane++) {
            Element sum = step.times(new Element(low[lane], high[lane])).plus(gather(data, at + lane, LANES));
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
