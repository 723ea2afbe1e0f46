package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;

/** A VIEW-CHANGE in the making, of a group with short logs. */
final class ViewChangeBuilder {
    static final int INTERVAL = 2;
    static final int LOG = 4;
    static final Bytes NULL = Batch.NULL_DIGEST;

    private final long view;
    private final long stable;
    private final List<Numbered> checkpoints = new ArrayList<>();
    private final TreeMap<Long, Prepared> prepared = new TreeMap<>();
    private final TreeMap<Long, List<DigestView>> prePrepared = new TreeMap<>();

    private ViewChangeBuilder(long view, long stable) {
        this.view = view;
        this.stable = stable;
    }

    static ViewGroup group(int faulty) {
        return new ViewGroup(faulty, INTERVAL, LOG);
    }

    /** The digest of a batch; 0 is the null batch. */
    static Bytes digest(int number) {
        if (number == 0) {
            return NULL;
        }
        byte[] bytes = new byte[Hashes.LENGTH];
        bytes[0] = (byte) number;
        bytes[1] = (byte) (number >>> 8);
        return Bytes.of(bytes);
    }

    /** The digest of the correct state at a checkpoint. */
    static Numbered checkpoint(long number) {
        return new Numbered(number, digest(1_000 + (int) number));
    }

    /** A replica whose low water mark is {@code stable}, which checkpoint it holds. */
    static ViewChangeBuilder stable(long view, long stable) {
        return new ViewChangeBuilder(view, stable).holds(checkpoint(stable));
    }

    ViewChangeBuilder holds(Numbered checkpoint) {
        checkpoints.add(checkpoint);
        return this;
    }

    /** An entry of P, and the pair of Q that goes with it. */
    ViewChangeBuilder prepared(long number, int batch, long inView) {
        prepared.put(number, new Prepared(number, digest(batch), inView));
        return prePrepared(number, batch, inView);
    }

    /** An entry of P alone, as only a liar has it. */
    ViewChangeBuilder swears(long number, int batch, long inView) {
        prepared.put(number, new Prepared(number, digest(batch), inView));
        return this;
    }

    ViewChangeBuilder prePrepared(long number, int batch, long inView) {
        List<DigestView> pairs = prePrepared.computeIfAbsent(number, _ -> new ArrayList<>());
        pairs.removeIf(pair -> pair.digest().equals(digest(batch)));
        pairs.add(new DigestView(digest(batch), inView));
        pairs.sort(Comparator.comparing(DigestView::digest));
        return this;
    }

    ViewChange message() {
        List<PrePrepared> q = new ArrayList<>();
        prePrepared.forEach((number, pairs) -> q.add(new PrePrepared(number, pairs)));
        return new ViewChange(view, stable, checkpoints, List.copyOf(prepared.values()), q);
    }
}
