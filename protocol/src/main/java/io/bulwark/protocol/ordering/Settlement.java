package io.bulwark.protocol.ordering;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.PeerMessage.AskDigest;
import io.bulwark.protocol.ordering.PeerMessage.DigestAt;
import io.bulwark.protocol.ordering.PeerMessage.PeerStatus;
import io.bulwark.protocol.ordering.PeerMessage.Start;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Agreement on one state among replicas whose engine keeps nothing durable, from which they start the engine. It runs
 * at first, after a crash of all, whenever a replica comes back, and when the engine hangs.
 *
 * <p>An <em>incarnation</em> is one life of the engine. A replica that hears of a higher incarnation than its own
 * leaves its own for good (<em>sealed</em>, durably) and reports the end of its log. The coordinator of incarnation e
 * is replica e mod n. Once 2f+1 replicas are sealed it chooses the longest history that f+1 of them vouch for, and
 * tells all. Each brings its log there and starts the engine. Acknowledged commands are in the logs of 2f+1 replicas,
 * hence of f+1 of any 2f+1, so they are never lost. Commands that fewer hold were never acknowledged. A coordinator
 * decides once in an incarnation, since after a crash it only takes part in higher ones.
 *
 * <p>This is promised for crashes only: one replica that invents incarnations can keep the others from working.
 */
public final class Settlement {
    /** Standings are told at least so often. */
    public static final long GOSSIP_MILLIS = 200;

    /**
     * Silence after which a peer counts as down. This only decides which peers to wait for; safety does not depend on
     * it.
     */
    static final long ALIVE_MILLIS = 1_200;

    /** The coordinator waits so long for replicas that seem alive, once 2f+1 are sealed. */
    static final long SEAL_GRACE_MILLIS = 1_000;

    /** A replica waits so long for an incarnation to start before it proposes the next. */
    static final long START_MILLIS = 3_000;

    /** A replica that was started waits so long for peers that run already. */
    static final long HEAR_MILLIS = 500;

    /** Time behind f+1 others after which a running replica has lost messages of its engine. */
    static final long BEHIND_MILLIS = 1_500;

    /** No incarnation is left sooner of one's own accord. */
    static final long RUN_MILLIS_MIN = 3_000;

    /** A follower asks to take part once it lacks no more batches than this. */
    public static final long NEAR_BATCHES = 64;

    /** Action that the driver must take. */
    public sealed interface Action {
        /** Send to one peer; lost messages are repeated. */
        record Send(int to, PeerMessage message) implements Action {}

        /** Stop the engine, if there is one, and make the incarnation's number durable; then call {@link #onSealed}. */
        record Seal(long incarnation) implements Action {}

        /** Bring the log to exactly this position, from peers where needed; then call {@link #onAligned}. */
        record Align(Position target) implements Action {}

        /** Start the engine of this incarnation. */
        record Run(long incarnation) implements Action {}

        /** Stop the engine; copy what f+1 peers vouch for until told otherwise. */
        record Follow() implements Action {}
    }

    /** Properties of the own log that the settlement needs. */
    public interface History {
        Position position();

        /** The digest of the history of this length, if it is known. */
        Optional<Bytes> digestAt(long sequence);
    }

    private record HeardStatus(long atMillis, PeerStatus standing) {}

    private final int self;
    private final int replicas;
    private final int faulty;
    private final History history;
    private final boolean forgetful;
    private final Map<Integer, HeardStatus> heard = new HashMap<>();
    private final Map<Integer, DigestAt> digests = new HashMap<>();
    private long incarnation;
    private Phase phase = Phase.FOLLOWING;
    private boolean sealing;
    private @Nullable Position decided;
    private @Nullable Position aligning;
    private long asking = -1;
    private long phaseSinceMillis;
    private long quorumSinceMillis = -1;
    private long behindSinceMillis = -1;
    private long gossipedMillis = DistantPast.MILLIS;
    /** All that may have been forgotten lies up to here; -1 as long as that is not known. */
    private long forgottenSequence = -1;

    /**
     * Creates the settlement at the start of a replica.
     *
     * @param incarnation the highest that this replica has sealed before, 0 if none
     * @param forgetful whether it may have lost acknowledged data: it then takes part only once it has them again
     */
    public Settlement(int self, int replicas, long incarnation, History history, boolean forgetful) {
        this.faulty = ReplicatedCall.faultyOf(replicas);
        this.self = self;
        this.replicas = replicas;
        this.incarnation = incarnation;
        this.history = history;
        this.forgetful = forgetful;
    }

    public Phase phase() {
        return phase;
    }

    public long incarnation() {
        return incarnation;
    }

    /** The greatest sequence that f+1 peers claim to have reached. */
    public long claimedSequence() {
        long[] claims = heard.values().stream()
                .mapToLong(heard -> heard.standing().position().sequence())
                .sorted()
                .toArray();
        return claims.length <= faulty ? 0 : claims[claims.length - 1 - faulty];
    }

    /** Returns the last standing that each peer reported. */
    public Map<Integer, PeerStatus> peers() {
        Map<Integer, PeerStatus> peers = new HashMap<>();
        heard.forEach((peer, last) -> peers.put(peer, last.standing()));
        return peers;
    }

    /** Returns the number of replicas heard recently, including this one. */
    private int alive(long nowMillis) {
        int alive = 1;
        for (HeardStatus last : heard.values()) {
            if (nowMillis - last.atMillis() <= ALIVE_MILLIS) {
                alive++;
            }
        }
        return alive;
    }

    /** Starts as a follower: while the others run, it first copies all missed entries, however many there are. */
    public List<Action> start(long nowMillis) {
        phaseSinceMillis = nowMillis;
        List<Action> actions = new ArrayList<>(List.of(new Action.Follow()));
        actions.addAll(gossip(nowMillis));
        return actions;
    }

    public List<Action> onStanding(long nowMillis, int from, PeerStatus standing) {
        heard.put(from, new HeardStatus(nowMillis, standing));
        boolean takesPart = standing.phase() != Phase.FOLLOWING;
        if (takesPart && standing.incarnation() > incarnation && phase != Phase.FOLLOWING) {
            return seal(nowMillis, standing.incarnation());
        }
        return List.of();
    }

    public List<Action> onStart(long nowMillis, int from, Start start) {
        if (from != coordinator() || start.incarnation() != incarnation) {
            return List.of();
        }
        if (phase != Phase.SEALED || sealing || aligning != null) {
            return List.of();
        }
        return align(nowMillis, start.position());
    }

    public List<Action> onDigest(long nowMillis, int from, DigestAt digest) {
        digests.put(from, digest);
        return coordinate(nowMillis);
    }

    /** The number is durable and the engine has stopped; the log will not grow any more. */
    public List<Action> onSealed(long nowMillis) {
        sealing = false;
        List<Action> actions = new ArrayList<>(gossip(nowMillis));
        actions.addAll(coordinate(nowMillis));
        return actions;
    }

    /** The log is, durably, at the position asked for. */
    public List<Action> onAligned(long nowMillis) {
        if (phase != Phase.SEALED || aligning == null || !history.position().equals(aligning)) {
            return List.of();
        }
        enter(nowMillis, Phase.RUNNING);
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.Run(incarnation));
        actions.addAll(gossip(nowMillis));
        return actions;
    }

    /** The engine makes no progress although there is something to do. */
    public List<Action> onStuck(long nowMillis) {
        boolean young = nowMillis - phaseSinceMillis < RUN_MILLIS_MIN;
        return phase != Phase.RUNNING || young || alive(nowMillis) < quorum()
                ? List.of()
                : seal(nowMillis, highest() + 1);
    }

    /** The engine has missed messages and cannot go on here; or the log could not be brought where it should be. */
    public List<Action> onLost(long nowMillis) {
        if (phase == Phase.FOLLOWING) {
            return List.of();
        }
        enter(nowMillis, Phase.FOLLOWING);
        List<Action> actions = new ArrayList<>();
        actions.add(new Action.Follow());
        actions.addAll(gossip(nowMillis));
        return actions;
    }

    public List<Action> onTick(long nowMillis) {
        List<Action> actions = new ArrayList<>();
        switch (phase) {
            case FOLLOWING -> actions.addAll(joinWhenNear(nowMillis));
            case SEALED -> {
                actions.addAll(coordinate(nowMillis));
                long retryTimer = aligning == null ? START_MILLIS : 10 * START_MILLIS;
                if (!sealing && phase == Phase.SEALED && nowMillis - phaseSinceMillis > retryTimer) {
                    actions.addAll(alive(nowMillis) < quorum() ? List.of() : seal(nowMillis, highest() + 1));
                }
            }
            case RUNNING -> {
                actions.addAll(repeatStart());
                actions.addAll(watchOthers(nowMillis));
            }
        }
        if (nowMillis - gossipedMillis >= GOSSIP_MILLIS) {
            actions.addAll(gossip(nowMillis));
        }
        return actions;
    }

    private List<Action> joinWhenNear(long nowMillis) {
        boolean heardAll = heard.size() == replicas - 1;
        boolean waited = nowMillis - phaseSinceMillis >= HEAR_MILLIS;
        if (!(heardAll || waited) || alive(nowMillis) < quorum() || !isStateRemembered()) {
            return List.of();
        }
        boolean near = claimedSequence() - history.position().sequence() <= NEAR_BATCHES;
        boolean othersAreSettling = peers().values().stream()
                .anyMatch(peer -> peer.phase() == Phase.SEALED && peer.incarnation() > incarnation);
        if (othersAreSettling) {
            return seal(nowMillis, highest());
        }
        long running = peers().values().stream()
                .filter(peer -> peer.phase() == Phase.RUNNING)
                .count();
        return near || running < quorum() - 1 ? seal(nowMillis, highest() + 1) : List.of();
    }

    /**
     * Returns whether this replica has recovered all that it may have acknowledged. An acknowledged entry is held by 2f
     * others, hence by f+1 of any 2f+1 others. So it lies no further than the position that f+1 of these claim. Sealed
     * without it, this replica would allow the choice of a history that lacks it.
     */
    private boolean isStateRemembered() {
        if (forgottenSequence < 0 && heard.size() >= Math.min(quorum(), replicas - 1)) {
            forgottenSequence = claimedSequence();
        }
        return !forgetful || (forgottenSequence >= 0 && history.position().sequence() >= forgottenSequence);
    }

    private List<Action> watchOthers(long nowMillis) {
        if (claimedSequence() <= history.position().sequence()) {
            behindSinceMillis = -1;
            return List.of();
        }
        if (behindSinceMillis < 0) {
            behindSinceMillis = nowMillis;
        }
        return nowMillis - behindSinceMillis > BEHIND_MILLIS ? onLost(nowMillis) : List.of();
    }

    /** This replica moved on; it is not stuck behind the others. */
    public void onProgress() {
        behindSinceMillis = -1;
    }

    private List<Action> seal(long nowMillis, long target) {
        incarnation = target;
        enter(nowMillis, Phase.SEALED);
        sealing = true;
        return List.of(new Action.Seal(target));
    }

    private void enter(long nowMillis, Phase next) {
        phase = next;
        phaseSinceMillis = nowMillis;
        aligning = null;
        quorumSinceMillis = -1;
        behindSinceMillis = -1;
        if (next == Phase.SEALED) {
            decided = null;
            asking = -1;
            digests.clear();
        }
    }

    private List<Action> align(long nowMillis, Position target) {
        aligning = target;
        phaseSinceMillis = nowMillis;
        return List.of(new Action.Align(target));
    }

    /** The coordinator's part: choose the longest history that f+1 sealed replicas have. */
    private List<Action> coordinate(long nowMillis) {
        if (coordinator() != self
                || phase != Phase.SEALED
                || sealing
                || decided != null
                || !hasEnoughSealed(nowMillis)) {
            return List.of();
        }
        Map<Integer, Position> sealed = sealed();
        if (asking < 0) {
            long[] lengths = sealed.values().stream()
                    .mapToLong(Position::sequence)
                    .sorted()
                    .toArray();
            asking = lengths[lengths.length - 1 - faulty];
        }
        List<Action> actions = new ArrayList<>();
        while (asking >= 0) {
            List<Bytes> known = new ArrayList<>();
            boolean open = false;
            for (Map.Entry<Integer, Position> each : sealed.entrySet()) {
                Optional<Bytes> digest = digestOf(each.getKey(), each.getValue());
                digest.ifPresent(known::add);
                DigestAt answer = digests.get(each.getKey());
                boolean mute = answer != null && answer.sequence() == asking;
                if (digest.isEmpty() && !mute && each.getValue().sequence() > asking) {
                    open = true;
                    actions.add(new Action.Send(each.getKey(), new AskDigest(asking)));
                }
            }
            Optional<Bytes> agreed = claimedDigest(known);
            if (agreed.isPresent()) {
                decided = new Position(asking, agreed.get());
                actions.addAll(tellStart(decided));
                actions.addAll(align(nowMillis, decided));
                return actions;
            }
            if (open) {
                return actions;
            }
            asking--;
        }
        throw new IllegalStateException("no beginning in common with any " + faulty + " others: " + sealed);
    }

    private Optional<Bytes> digestOf(int replica, Position position) {
        if (replica == self) {
            return history.digestAt(asking);
        }
        if (asking == 0) {
            return Optional.of(Position.GENESIS.digest());
        }
        if (position.sequence() == asking) {
            return Optional.of(position.digest());
        }
        DigestAt answer = digests.get(replica);
        return answer != null && answer.sequence() == asking ? answer.digest() : Optional.empty();
    }

    private Optional<Bytes> claimedDigest(List<Bytes> known) {
        return known.stream()
                .filter(digest -> known.stream().filter(digest::equals).count() > faulty)
                .findFirst();
    }

    private Map<Integer, Position> sealed() {
        Map<Integer, Position> sealed = new HashMap<>();
        sealed.put(self, history.position());
        heard.forEach((peer, last) -> {
            if (last.standing().phase() == Phase.SEALED && last.standing().incarnation() == incarnation) {
                sealed.put(peer, last.standing().position());
            }
        });
        return sealed;
    }

    private boolean hasEnoughSealed(long nowMillis) {
        int sealed = sealed().size();
        if (sealed < quorum()) {
            quorumSinceMillis = -1;
            return false;
        }
        if (quorumSinceMillis < 0) {
            quorumSinceMillis = nowMillis;
        }
        return sealed == replicas
                || nowMillis - quorumSinceMillis >= SEAL_GRACE_MILLIS
                || (sealed >= alive(nowMillis) && nowMillis - quorumSinceMillis >= GOSSIP_MILLIS);
    }

    private List<Action> tellStart(Position position) {
        List<Action> sends = new ArrayList<>();
        toPeers(sends, new Start(incarnation, position));
        return sends;
    }

    /** As long as a peer is still sealed in this incarnation, it may have missed the start. */
    private List<Action> repeatStart() {
        Position start = decided;
        if (start == null || coordinator() != self) {
            return List.of();
        }
        List<Action> sends = new ArrayList<>();
        peers().forEach((peer, standing) -> {
            if (standing.phase() == Phase.SEALED && standing.incarnation() == incarnation) {
                sends.add(new Action.Send(peer, new Start(incarnation, start)));
            }
        });
        return sends;
    }

    private List<Action> gossip(long nowMillis) {
        gossipedMillis = nowMillis;
        if (sealing) {
            return List.of();
        }
        List<Action> sends = new ArrayList<>();
        toPeers(sends, new PeerStatus(incarnation, phase, history.position()));
        return sends;
    }

    private void toPeers(List<Action> sends, PeerMessage message) {
        for (int peer = 0; peer < replicas; peer++) {
            if (peer != self) {
                sends.add(new Action.Send(peer, message));
            }
        }
    }

    private long highest() {
        return Math.max(
                incarnation,
                heard.values().stream()
                        .mapToLong(last -> last.standing().incarnation())
                        .max()
                        .orElse(0));
    }

    private int coordinator() {
        return (int) (incarnation % replicas);
    }

    private int quorum() {
        return 2 * faulty + 1;
    }

    @Override
    public String toString() {
        return "replica-" + self + " " + phase + " " + incarnation + " at "
                + history.position().sequence() + ", heard "
                + Arrays.toString(heard.values().toArray());
    }
}
