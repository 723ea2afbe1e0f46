package io.bulwark.protocol.object;

import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import java.util.List;

/** Content that an inode holds by itself: extents on nodes, or the bytes themselves. Compositions slice it. */
public sealed interface OwnContent extends ObjectContent permits ObjectLayout, InlineContent {
    /** Returns the blocks on nodes, in order; none of inline bytes. */
    List<BlockRange> ranges();

    /** Returns this content with only what leads to some bytes, for readers who may know no others. */
    OwnContent reduced(long offset, long count);

    /** Returns this content with what another reduced one of the same inode knows, too. */
    OwnContent merged(OwnContent other);

    static OwnContent read(WireReader in) {
        if (ObjectContent.read(in) instanceof OwnContent own) {
            return own;
        }
        throw new MalformedException("a composition where extents or bytes must be");
    }
}
