package io.bulwark.storage.background;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Comparator;

/** A client has learnt a block's time, and writes next. */
record ExpectedWrite(PrincipalId client, BlockId block) implements Comparable<ExpectedWrite> {
    private static final Comparator<ExpectedWrite> ORDER =
            Comparator.comparing(ExpectedWrite::client).thenComparing(ExpectedWrite::block);

    @Override
    public int compareTo(ExpectedWrite other) {
        return ORDER.compare(this, other);
    }
}
