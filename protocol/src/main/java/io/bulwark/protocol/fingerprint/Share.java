package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A slot's data of a version of a block, as the slot claims.
 *
 * @param fragment the slot's fragment
 * @param cc null if the fragment came from the writer and is consistent with the fpcc itself; else, for a fragment that
 *     the node cut from the whole block, the hashes of all n fragments of that block, 32 bytes each
 */
public record Share(Bytes fragment, @Nullable List<Bytes> cc) {
    public Share {
        cc = cc == null ? null : List.copyOf(cc);
    }
}
