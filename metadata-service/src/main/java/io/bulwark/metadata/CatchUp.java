package io.bulwark.metadata;

import io.bulwark.metadata.log.SnapshotStore;
import io.bulwark.protocol.ordering.PeerMessage;
import io.bulwark.protocol.ordering.PeerMessage.AskDigest;
import io.bulwark.protocol.ordering.PeerMessage.AskSnapshots;
import io.bulwark.protocol.ordering.PeerMessage.DigestAt;
import io.bulwark.protocol.ordering.PeerMessage.FetchLog;
import io.bulwark.protocol.ordering.PeerMessage.FetchSnapshot;
import io.bulwark.protocol.ordering.PeerMessage.LogChunk;
import io.bulwark.protocol.ordering.PeerMessage.Snapshot;
import io.bulwark.protocol.ordering.PeerMessage.SnapshotChunk;
import io.bulwark.protocol.ordering.PeerMessage.Snapshots;
import io.bulwark.protocol.ordering.Position;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a replica's history to the state of f+1 peers. It finds the common prefix, cuts the rest, and fetches the
 * following records, or a snapshot if the peers no longer have them. Nothing is executed before f+1 peers have vouched
 * for the digest it leads to. Requests are repeated until answered. Single-threaded.
 */
final class CatchUp {
    private static final Logger LOG = LoggerFactory.getLogger(CatchUp.class);
    private static final long ASK_AGAIN_MILLIS = 400;

    /** Replica on which it works. */
    interface Replica {
        Position position();

        Position base();

        /** The digest of the own history of this length, if it is known. */
        Optional<Bytes> digestAt(long sequence);

        /** The greatest sequence that f+1 peers claim. */
        long claimedSequence();

        void send(int peer, PeerMessage message);

        void cut(long sequence) throws IOException;

        void apply(List<Bytes> records) throws IOException;

        void install(Position position, Bytes state) throws IOException;

        /** The target is reached, durably or not. */
        void onAligned();
    }

    private enum Step {
        IDLE,
        COMPARE,
        FETCH_LOG,
        VERIFY,
        ASK_SNAPSHOTS,
        FETCH_SNAPSHOT
    }

    private final int self;
    private final int replicas;
    private final int faulty;
    private final Replica replica;
    private final Map<Integer, Bytes> digests = new HashMap<>();
    private final Map<Integer, List<Snapshot>> snapshots = new HashMap<>();
    private final Set<Integer> without = new HashSet<>();
    private Step step = Step.IDLE;
    private boolean following;
    private @Nullable Position target;
    private long comparing;
    private long stepBack;
    private List<Bytes> chunk = List.of();
    private @Nullable Position chunkEnd;
    private @Nullable Snapshot snapshot;
    private ByteArrayOutputStream received = new ByteArrayOutputStream();
    private int source;
    private long askedMillis;

    CatchUp(int self, int replicas, Replica replica) {
        this.self = self;
        this.replicas = replicas;
        this.faulty = replicas / 3;
        this.replica = replica;
        this.source = (self + 1) % replicas;
    }

    void stop() {
        following = false;
        target = null;
        step = Step.IDLE;
    }

    /** Goes exactly to a position that f+1 replicas vouch for. */
    void align(long nowMillis, Position position) throws IOException {
        stop();
        target = position;
        if (!reached()) {
            compare(nowMillis);
        }
    }

    /** Keeps up with what f+1 peers vouch for, until stopped. */
    void follow() {
        stop();
        following = true;
    }

    void onTick(long nowMillis) throws IOException {
        if (step == Step.IDLE
                && following
                && replica.claimedSequence() > replica.position().sequence()) {
            compare(nowMillis);
        } else if (step != Step.IDLE && nowMillis - askedMillis > ASK_AGAIN_MILLIS) {
            switch (step) {
                case COMPARE -> ask(nowMillis, new AskDigest(comparing));
                case VERIFY -> ask(nowMillis, new AskDigest(end().sequence()));
                case FETCH_LOG -> {
                    nextSource();
                    fetchLog(nowMillis);
                }
                case ASK_SNAPSHOTS -> ask(nowMillis, new AskSnapshots());
                case FETCH_SNAPSHOT -> {
                    nextSource();
                    fetchSnapshot(nowMillis);
                }
                case IDLE -> {}
            }
        }
    }

    void onMessage(long nowMillis, int from, PeerMessage message) throws IOException {
        switch (message) {
            case DigestAt at when step == Step.COMPARE && at.sequence() == comparing -> compared(nowMillis, from, at);
            case DigestAt at
            when step == Step.VERIFY && at.sequence() == end().sequence() -> verified(nowMillis, from, at);
            case LogChunk log when step == Step.FETCH_LOG && from == source -> onChunk(nowMillis, log);
            case Snapshots held when step == Step.ASK_SNAPSHOTS -> choose(nowMillis, from, held);
            case SnapshotChunk bytes when step == Step.FETCH_SNAPSHOT && from == source -> onBytes(nowMillis, bytes);
            default -> {}
        }
    }

    private boolean reached() throws IOException {
        Position goal = target;
        if (goal == null || !replica.digestAt(goal.sequence()).equals(Optional.of(goal.digest()))) {
            return false;
        }
        if (replica.position().sequence() > goal.sequence()) {
            replica.cut(goal.sequence());
        }
        stop();
        replica.onAligned();
        return true;
    }

    private long goal() {
        Position position = target;
        return position == null ? replica.claimedSequence() : position.sequence();
    }

    private void compare(long nowMillis) throws IOException {
        stepBack = 1;
        without.clear();
        compareAt(nowMillis, Math.min(replica.position().sequence(), goal()));
    }

    private void compareAt(long nowMillis, long sequence) throws IOException {
        comparing = sequence;
        if (sequence == 0) {
            agreeAt(nowMillis, 0);
            return;
        }
        step = Step.COMPARE;
        digests.clear();
        ask(nowMillis, new AskDigest(sequence));
    }

    private void compared(long nowMillis, int from, DigestAt at) throws IOException {
        digests.put(from, at.digest().orElse(Bytes.EMPTY));
        Optional<Bytes> own = replica.digestAt(comparing);
        long same = digests.values().stream()
                .filter(digest -> own.equals(Optional.of(digest)))
                .count();
        if (same > faulty) {
            agreeAt(nowMillis, comparing);
        } else if (digests.size() - same > replicas - 1 - faulty - 1) {
            long base = replica.base().sequence();
            if (comparing <= base) {
                askSnapshots(nowMillis);
            } else {
                long lower = Math.max(base, comparing - stepBack);
                stepBack *= 2;
                compareAt(nowMillis, lower);
            }
        }
    }

    /** The own history is that of f+1 peers up to here. */
    private void agreeAt(long nowMillis, long sequence) throws IOException {
        if (sequence < replica.position().sequence()) {
            LOG.warn(
                    "replica-{} drops batches {} to {}, which were never acknowledged",
                    self,
                    sequence + 1,
                    replica.position().sequence());
            replica.cut(sequence);
        }
        if (reached()) {
            return;
        }
        if (replica.position().sequence() >= goal()) {
            step = Step.IDLE;
            return;
        }
        fetchLog(nowMillis);
    }

    private void fetchLog(long nowMillis) {
        step = Step.FETCH_LOG;
        askedMillis = nowMillis;
        replica.send(source, new FetchLog(replica.position().sequence()));
    }

    private void onChunk(long nowMillis, LogChunk log) throws IOException {
        long at = replica.position().sequence();
        if (log.after() != at) {
            return;
        }
        int wanted = (int) Math.min(log.records().size(), goal() - at);
        if (wanted <= 0) {
            without.add(source);
            nextSource();
            if (without.size() >= replicas - 1) {
                askSnapshots(nowMillis);
            } else {
                fetchLog(nowMillis);
            }
            return;
        }
        without.clear();
        chunk = log.records().subList(0, wanted);
        Position end = replica.position();
        for (Bytes each : chunk) {
            end = end.after(each);
        }
        chunkEnd = end;
        if (end.equals(target)) {
            applyChunk(nowMillis);
            return;
        }
        step = Step.VERIFY;
        digests.clear();
        ask(nowMillis, new AskDigest(end.sequence()));
    }

    private void verified(long nowMillis, int from, DigestAt at) throws IOException {
        digests.put(from, at.digest().orElse(Bytes.EMPTY));
        long same = digests.values().stream()
                .filter(digest -> digest.equals(end().digest()))
                .count();
        if (same > faulty) {
            applyChunk(nowMillis);
        } else if (digests.size() - same > replicas - 1 - faulty - 1) {
            LOG.warn("replica-{} got records from replica-{} that no other replica confirms", self, source);
            nextSource();
            compare(nowMillis);
        }
    }

    private void applyChunk(long nowMillis) throws IOException {
        replica.apply(chunk);
        chunk = List.of();
        if (reached()) {
            return;
        }
        if (replica.position().sequence() < goal()) {
            fetchLog(nowMillis);
        } else if (target != null) {
            compare(nowMillis);
        } else {
            step = Step.IDLE;
        }
    }

    private void askSnapshots(long nowMillis) {
        step = Step.ASK_SNAPSHOTS;
        without.clear();
        snapshots.clear();
        ask(nowMillis, new AskSnapshots());
    }

    private void choose(long nowMillis, int from, Snapshots held) {
        snapshots.put(from, held.held());
        Map<Snapshot, Integer> counts = new HashMap<>();
        snapshots.values().forEach(each -> each.forEach(one -> counts.merge(one, 1, Integer::sum)));
        Snapshot best = null;
        for (Map.Entry<Snapshot, Integer> each : counts.entrySet()) {
            Snapshot candidate = each.getKey();
            boolean vouched = each.getValue() > faulty
                    && candidate.position().sequence() <= goal()
                    && candidate.length() <= Integer.MAX_VALUE - 1024;
            boolean later = best == null
                    || candidate.position().sequence() > best.position().sequence();
            if (vouched && later) {
                best = candidate;
            }
        }
        if (best != null) {
            snapshot = best;
            received = new ByteArrayOutputStream();
            source = from;
            fetchSnapshot(nowMillis);
        }
    }

    private void fetchSnapshot(long nowMillis) {
        Snapshot wanted = snapshot;
        if (wanted != null) {
            step = Step.FETCH_SNAPSHOT;
            askedMillis = nowMillis;
            replica.send(source, new FetchSnapshot(wanted.position().sequence(), received.size()));
        }
    }

    private void onBytes(long nowMillis, SnapshotChunk bytes) throws IOException {
        Snapshot wanted = snapshot;
        if (wanted == null
                || bytes.sequence() != wanted.position().sequence()
                || bytes.offset() != received.size()
                || bytes.bytes().length() > wanted.length() - received.size()) {
            return;
        }
        received.writeBytes(bytes.bytes().toByteArray());
        if (received.size() < wanted.length()) {
            if (bytes.bytes().isEmpty()) {
                askSnapshots(nowMillis);
            } else {
                fetchSnapshot(nowMillis);
            }
            return;
        }
        Bytes state = Bytes.of(received.toByteArray());
        snapshot = null;
        received = new ByteArrayOutputStream();
        if (!SnapshotStore.sha256(state).equals(wanted.hash())) {
            LOG.warn("replica-{} got a snapshot from replica-{} with the wrong digest", self, source);
            nextSource();
            askSnapshots(nowMillis);
            return;
        }
        LOG.info(
                "replica-{} takes the state at batch {} from its peers",
                self,
                wanted.position().sequence());
        replica.install(wanted.position(), state);
        compare(nowMillis);
    }

    private Position end() {
        Position end = chunkEnd;
        return end == null ? Position.GENESIS : end;
    }

    private void nextSource() {
        do {
            source = (source + 1) % replicas;
        } while (source == self);
    }

    private void ask(long nowMillis, PeerMessage question) {
        askedMillis = nowMillis;
        List<Integer> peers = new ArrayList<>();
        for (int peer = 0; peer < replicas; peer++) {
            if (peer != self) {
                peers.add(peer);
            }
        }
        peers.forEach(peer -> replica.send(peer, question));
    }
}
