package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;

/** Horner's rule in every lane, with tables of 64-bit words. */
final class PortableLanes implements LaneEvaluation {
    private final long[] low = new long[LANES];
    private final long[] high = new long[LANES];
    private final byte[] rows = new byte[GROUP];
    private Element r;

    /** By r^64, once a fragment has more than one group. */
    private final Multiplier step = new Multiplier(Element.ZERO);

    private boolean isStepSet;

    PortableLanes(Element r) {
        this.r = r;
    }

    @Override
    public void setPoint(Element next) {
        r = next;
        isStepSet = false;
    }

    @Override
    public byte[] evaluate(Bytes fragment) {
        int from = Math.max(0, fragment.length() - 1) / GROUP * GROUP;
        int count = fragment.length() - from;
        fragment.copyTo(from, rows, 0, count);
        Arrays.fill(rows, count, GROUP, (byte) 0);
        if (from > 0) {
            evaluateAll(fragment.slice(0, from));
        }
        return rows;
    }

    /** Replaces the rows, which have the last group. */
    private void evaluateAll(Bytes others) {
        for (int lane = 0; lane < LANES; lane++) {
            Element element = gather(rows, lane, LANES);
            low[lane] = element.low();
            high[lane] = element.high();
        }
        Multiplier factor = step();
        for (int from = others.length() - GROUP; from >= 0; from -= GROUP) {
            step(factor, low, high, others.array(), others.offset() + from);
        }
        for (int lane = 0; lane < LANES; lane++) {
            for (int j = 0; j < 8; j++) {
                rows[j * LANES + lane] = (byte) (low[lane] >>> (8 * j));
                rows[(j + 8) * LANES + lane] = (byte) (high[lane] >>> (8 * j));
            }
        }
    }

    private Multiplier step() {
        if (!isStepSet) {
            step.setConstant(r.squared(6));
            isStepSet = true;
        }
        return step;
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
