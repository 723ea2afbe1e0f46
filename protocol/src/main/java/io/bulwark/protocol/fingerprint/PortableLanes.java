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
        byte[] sums = new byte[GROUP];
        int groups = Math.ceilDiv(fragment.length(), GROUP);
        for (int group = groups - 1; group >= 0; group--) {
            if (group < groups - 1) {
                multiplyAll(sums);
            }
            int from = fragment.offset() + group * GROUP;
            int count = Math.min(GROUP, fragment.offset() + fragment.length() - from);
            byte[] data = fragment.array();
            for (int i = 0; i < count; i++) {
                sums[i] ^= data[from + i];
            }
        }
        return sums;
    }

    private void multiplyAll(byte[] sums) {
        for (int lane = 0; lane < LANES; lane++) {
            Element product = step.times(gather(sums, LANES, lane));
            for (int j = 0; j < Element.BYTES; j++) {
                sums[j * LANES + lane] = product.coefficient(j);
            }
        }
    }

    /** The element whose coordinates stand in one lane of sixteen rows. */
    static Element gather(byte[] rows, int lanes, int lane) {
        long low = 0;
        long high = 0;
        for (int j = 7; j >= 0; j--) {
            low = (low << 8) | (rows[j * lanes + lane] & 0xFF);
            high = (high << 8) | (rows[(j + 8) * lanes + lane] & 0xFF);
        }
        return new Element(low, high);
    }
}
