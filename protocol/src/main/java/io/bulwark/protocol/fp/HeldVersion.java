package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A node's data of one version: {@code store[(ts, fpcc)] = (d, cc, nonce_hash, Nonces)} of the thesis.
 *
 * @param fragment null if the node holds none that is good
 * @param cc null if the fragment came from the writer; else the hashes of all n fragments of the block that it was cut
 *     from
 * @param nonceHash the hash of this node's own nonce for the version
 * @param nonces those that the COMMIT brought; empty while the version is only staged
 * @param damaged whether the node had a fragment and knows that it is lost
 */
public record HeldVersion(
        @Nullable Bytes fragment, @Nullable List<Bytes> cc, Bytes nonceHash, List<SlotNonce> nonces, boolean damaged) {
    public HeldVersion {
        cc = cc == null ? null : List.copyOf(cc);
        nonces = List.copyOf(nonces);
        if (nonceHash.length() != Hashes.LENGTH || (damaged && fragment != null)) {
            throw new IllegalArgumentException("nonce hash of " + nonceHash.length() + " bytes, damaged " + damaged);
        }
    }

    /** The nonce that the node at a slot gave for the version. */
    public record SlotNonce(int slot, Bytes nonce) {}

    /** The fragment with its cross-checksum, if there is one. */
    public Optional<Share> share() {
        Bytes held = fragment;
        return held == null ? Optional.empty() : Optional.of(new Share(held, cc));
    }
}
