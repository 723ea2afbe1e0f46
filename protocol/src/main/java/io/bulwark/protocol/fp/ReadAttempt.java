package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.kernel.RetryTimer;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * State of c_find_block (thesis lines 1800 to 1830) for one timestamp: its known facts, and whether it gives a proven
 * block.
 */
final class ReadAttempt {
    final Timestamp version;

    /** The slots whose reports or redirects brought this timestamp up. */
    final Set<Integer> introducers = new HashSet<>();

    /** READs sent for this timestamp, by slot. */
    final Map<Integer, RetryTimer> asked = new HashMap<>();

    /** Timer of the slots that are asked for it. */
    final RetryTimer retryTimer;

    private final FpGroup group;
    /** True if f + 1 nodes have proven it already. */
    private final boolean provenByPeers;

    private final TreeMap<Integer, Share> shares = new TreeMap<>();
    private final Map<Integer, Bytes> nonceHashes = new HashMap<>();
    private final Map<Integer, List<HeldVersion.SlotNonce>> nonces = new HashMap<>();
    private final Set<Integer> reporters = new HashSet<>();
    private boolean changed;
    private @Nullable Bytes block;

    ReadAttempt(FpGroup group, Timestamp version, boolean provenByPeers, Timeouts times) {
        this.provenByPeers = provenByPeers;
        this.retryTimer = new RetryTimer(times);
        this.group = group;
        this.version = version;
    }

    /** The slot says that this is its latest commit. */
    void onReported(int slot) {
        reporters.add(slot);
    }

    /** Lines 1800 to 1809: a share that fails the check that it carries with it is kept for the verdict only. */
    void add(int slot, HeldVersion holding) {
        changed = true;
        nonceHashes.put(slot, holding.nonceHash());
        if (holding.nonces().size() <= group.n()) {
            nonces.put(slot, holding.nonces());
        }
        holding.share().ifPresent(share -> shares.put(slot, share));
    }

    /** Returns the number of slots with a pending request, for the timestamp (by slot) or a READ. */
    static int awaited(List<RetryTimer> finding, Collection<ReadAttempt> attempts) {
        int awaited = 0;
        for (int slot = 0; slot < finding.size(); slot++) {
            boolean waits = finding.get(slot).waiting();
            for (ReadAttempt attempt : attempts) {
                RetryTimer retryTimer = attempt.asked.get(slot);
                waits |= retryTimer != null && retryTimer.waiting();
            }
            awaited += waits ? 1 : 0;
        }
        return awaited;
    }

    boolean has(int slot) {
        return shares.containsKey(slot);
    }

    int shareCount() {
        return shares.size();
    }

    /**
     * Lines 1810 to 1813, or f + 1 slots that report this very timestamp: then one correct node has prepared or committed
     * it, hence a client invoked a write at it.
     */
    boolean proven() {
        return provenByPeers || committed() || preimages().size() > group.f();
    }

    /**
     * Returns whether f + 1 slots report it as their latest, so that a correct node has committed it. Nonces prove only
     * that a client has prepared it, and a client revoked since may have done no more.
     */
    boolean committed() {
        return reporters.size() > group.f();
    }

    /**
     * Returns whether to take this version only if the wanted one cannot be read. This holds for a version below that
     * one, or one proven by nonces alone. One liar and the version's writer can show such nonces to a single node,
     * which would complete it for nobody's benefit.
     */
    boolean mustYieldTo(Timestamp wanted) {
        return wanted.isAfter(version) || (!wanted.equals(version) && !committed());
    }

    private Set<Integer> preimages() {
        Set<Integer> slots = new TreeSet<>();
        for (List<HeldVersion.SlotNonce> known : nonces.values()) {
            for (HeldVersion.SlotNonce nonce : known) {
                Bytes hash = nonceHashes.get(nonce.slot());
                if (hash != null
                        && !slots.contains(nonce.slot())
                        && Hashes.sha256(nonce.nonce()).equals(hash)) {
                    slots.add(nonce.slot());
                }
            }
        }
        return slots;
    }

    /** Lines 1815 to 1830: the block, padded, if it is proven and the shares suffice. */
    Optional<Bytes> block() {
        if (block == null && changed && shares.size() >= group.m() && proven()) {
            changed = false;
            block = group.code().decode(version.written(), shares).orElse(null);
        }
        return Optional.ofNullable(block);
    }

    /** The slots that sent, as this version, bytes that re-encoding the block does not give. */
    List<Integer> corrupt() {
        Bytes accepted = block;
        List<Integer> liars = new ArrayList<>();
        if (accepted == null) {
            return liars;
        }
        shares.forEach((slot, share) -> {
            // A fragment that is consistent with fpcc is right; the others are compared.
            boolean right = share.cc() == null
                    ? group.code().isShareOf(version.written(), slot, share)
                    : group.code().matches(accepted, slot, share.fragment());
            if (!right) {
                liars.add(slot);
            }
        });
        return liars;
    }

    Effect corruption(int slot) {
        return new Effect.Evidence(
                group.node(slot), group.block(), Verdict.CORRUPT, "not the fragment of version " + version);
    }
}
