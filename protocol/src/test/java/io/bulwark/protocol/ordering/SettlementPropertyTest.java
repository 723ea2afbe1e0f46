package io.bulwark.protocol.ordering;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.ordering.PeerMessage.AskDigest;
import io.bulwark.protocol.ordering.PeerMessage.DigestAt;
import io.bulwark.protocol.ordering.PeerMessage.PeerStatus;
import io.bulwark.protocol.ordering.PeerMessage.Start;
import io.bulwark.protocol.ordering.Settlement.Action;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Replicas that crash and come back, over a network that loses and delays, around an engine that decides only with 2f+1
 * of its members. An entry counts as acknowledged once 2f+1 replicas have it while they run in one incarnation.
 */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class SettlementPropertyTest {
    private static final int REPLICAS = 4;
    private static final int QUORUM = 3;
    private static final long FAULTS_MILLIS = 60_000;
    private static final long CALM_MILLIS = 60_000;
    private static final long QUIET_MILLIS = 5_000;
    private static final long STEP_MILLIS = 10;

    @Test
    void whatWasAcknowledgedStaysAndAllRunAgain() {
        long first = Long.getLong("bulwark.seed", 1);
        int seeds = System.getProperty("bulwark.seed") == null ? 10 : 1;
        for (long seed = first; seed < first + seeds; seed++) {
            World world = new World(seed);
            world.run();
            assertThat(world.acknowledged).as("seed %d", seed).isNotEmpty();
        }
    }

    private record Parcel(long atMillis, long order, int from, int to, PeerMessage message) {}

    private static final class Replica implements Settlement.History {
        private final List<Long> log = new ArrayList<>();
        private final List<Position> positions = new ArrayList<>(List.of(Position.GENESIS));
        private long sealed;
        private boolean up;
        private Settlement settlement = new Settlement(0, REPLICAS, 0, this, false);
        private long running = -1;
        private int applied;
        private boolean following;
        private @Nullable Position target;
        private long alignAtMillis;

        @Override
        public Position position() {
            return positions.getLast();
        }

        @Override
        public Optional<Bytes> digestAt(long sequence) {
            return sequence < positions.size()
                    ? Optional.of(positions.get((int) sequence).digest())
                    : Optional.empty();
        }

        private void append(long entry) {
            log.add(entry);
            positions.add(position().after(new WireWriter().i64(entry).toBytes()));
        }

        private void become(List<Long> history) {
            while (!history.subList(0, Math.min(history.size(), log.size())).equals(log)) {
                log.removeLast();
                positions.removeLast();
            }
            history.subList(log.size(), history.size()).forEach(this::append);
        }
    }

    private static final class World {
        private final long seed;
        private final SplittableRandom random;
        private final Replica[] replicas = new Replica[REPLICAS];
        private final PriorityQueue<Parcel> network = new PriorityQueue<>((a, b) -> {
            int byTime = Long.compare(a.atMillis(), b.atMillis());
            return byTime != 0 ? byTime : Long.compare(a.order(), b.order());
        });
        private final Map<Long, List<Long>> decided = new HashMap<>();
        private final Map<Long, Position> started = new HashMap<>();
        private final Map<Long, Map<Long, Set<Integer>>> vouchers = new HashMap<>();
        private final Map<Long, Long> acknowledged = new HashMap<>();
        private long now;
        private long parcels;
        private long entries;
        private boolean faults = true;

        private World(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            for (int i = 0; i < REPLICAS; i++) {
                replicas[i] = new Replica();
            }
        }

        private void run() {
            for (int i = 0; i < REPLICAS; i++) {
                boot(i);
            }
            while (now < FAULTS_MILLIS + CALM_MILLIS) {
                now += STEP_MILLIS;
                faults = now < FAULTS_MILLIS;
                breakThings();
                deliver();
                for (int i = 0; i < REPLICAS; i++) {
                    if (replicas[i].up) {
                        work(i);
                        act(i, replicas[i].settlement.onTick(now));
                    }
                }
                decide();
                acknowledge();
            }
            for (Replica replica : replicas) {
                assertThat(replica.settlement.phase())
                        .as("seed %d: %s", seed, replica.settlement)
                        .isEqualTo(Phase.RUNNING);
                assertThat(replica.settlement.incarnation())
                        .as("seed %d", seed)
                        .isEqualTo(replicas[0].settlement.incarnation());
            }
            for (Replica replica : replicas) {
                assertThat(replica.log).as("seed %d", seed).containsAll(acknowledged.keySet());
            }
        }

        private void boot(int i) {
            Replica replica = replicas[i];
            replica.up = true;
            replica.running = -1;
            replica.target = null;
            replica.following = false;
            replica.settlement = new Settlement(i, REPLICAS, replica.sealed, replica, false);
            act(i, replica.settlement.start(now));
        }

        private void breakThings() {
            for (int i = 0; i < REPLICAS; i++) {
                boolean crash = faults && random.nextInt(500) == 0;
                if (replicas[i].up && crash) {
                    replicas[i].up = false;
                } else if (!replicas[i].up && (!faults || random.nextInt(150) == 0)) {
                    boot(i);
                }
            }
            if (faults && random.nextInt(3_000) == 0) {
                for (Replica replica : replicas) {
                    replica.up = false;
                }
            }
        }

        private void deliver() {
            for (Parcel next = network.peek(); next != null && next.atMillis() <= now; next = network.peek()) {
                Parcel parcel = network.remove();
                Replica to = replicas[parcel.to()];
                if (!to.up) {
                    continue;
                }
                switch (parcel.message()) {
                    case PeerStatus standing ->
                        act(parcel.to(), to.settlement.onStanding(now, parcel.from(), standing));
                    case Start start -> act(parcel.to(), to.settlement.onStart(now, parcel.from(), start));
                    case AskDigest ask ->
                        send(parcel.to(), parcel.from(), new DigestAt(ask.sequence(), to.digestAt(ask.sequence())));
                    case DigestAt digest -> act(parcel.to(), to.settlement.onDigest(now, parcel.from(), digest));
                    default -> throw new AssertionError(parcel.message());
                }
            }
        }

        private void send(int from, int to, PeerMessage message) {
            if (!faults || random.nextInt(20) != 0) {
                long delay = 1 + random.nextLong(faults && random.nextInt(10) == 0 ? 1_000 : 30);
                network.add(new Parcel(now + delay, parcels++, from, to, message));
            }
        }

        private void act(int i, List<Action> actions) {
            Replica replica = replicas[i];
            for (Action action : actions) {
                switch (action) {
                    case Action.Send send -> send(i, send.to(), send.message());
                    case Action.Seal seal -> {
                        replica.running = -1;
                        replica.following = false;
                        replica.target = null;
                        replica.sealed = seal.incarnation();
                        act(i, replica.settlement.onSealed(now));
                    }
                    case Action.Align align -> {
                        replica.target = align.target();
                        replica.alignAtMillis = now + random.nextInt(200);
                    }
                    case Action.Run run -> run(replica, run.incarnation());
                    case Action.Follow _ -> {
                        replica.running = -1;
                        replica.following = true;
                    }
                }
            }
        }

        private void run(Replica replica, long incarnation) {
            Position before = started.putIfAbsent(incarnation, replica.position());
            assertThat(replica.position())
                    .as("seed %d: one start of incarnation %d", seed, incarnation)
                    .isEqualTo(before == null ? replica.position() : before);
            List<Long> earlier = new ArrayList<>();
            acknowledged.forEach((entry, in) -> {
                if (in < incarnation) {
                    earlier.add(entry);
                }
            });
            assertThat(replica.log)
                    .as("seed %d: acknowledged, then lost by incarnation %d", seed, incarnation)
                    .containsAll(earlier);
            replica.running = incarnation;
            replica.applied = 0;
        }

        /** Performs the work of the driver and the engine at one replica. */
        private void work(int i) {
            Replica replica = replicas[i];
            Position target = replica.target;
            if (target != null && now >= replica.alignAtMillis) {
                for (Replica peer : replicas) {
                    if (peer.up && peer.digestAt(target.sequence()).equals(Optional.of(target.digest()))) {
                        replica.become(List.copyOf(peer.log.subList(0, (int) target.sequence())));
                        replica.target = null;
                        act(i, replica.settlement.onAligned(now));
                        break;
                    }
                }
            }
            List<Long> order = decided.getOrDefault(replica.running, List.of());
            if (replica.running >= 0 && replica.applied < order.size() && random.nextInt(3) == 0) {
                replica.append(order.get(replica.applied++));
                replica.settlement.onProgress();
            }
            if (replica.running >= 0 && faults && random.nextInt(2_000) == 0) {
                act(i, random.nextBoolean() ? replica.settlement.onStuck(now) : replica.settlement.onLost(now));
            }
            if (replica.following && random.nextInt(5) == 0) {
                follow(replica);
            }
        }

        private void follow(Replica replica) {
            long goal = replica.settlement.claimedSequence();
            for (Replica peer : replicas) {
                List<Long> prefix = peer.log.subList(0, (int) Math.min(goal, peer.log.size()));
                long vouching = Arrays.stream(replicas)
                        .filter(other -> other != replica && other.up)
                        .filter(other -> other.log.size() >= prefix.size()
                                && other.log.subList(0, prefix.size()).equals(prefix))
                        .count();
                if (peer.up && peer != replica && prefix.size() > replica.log.size() && vouching >= 2) {
                    replica.become(List.copyOf(prefix));
                    return;
                }
            }
        }

        /** The engine of an incarnation goes on while 2f+1 of its members are up and in it. */
        private void decide() {
            Map<Long, Integer> members = new HashMap<>();
            for (Replica replica : replicas) {
                if (replica.up && replica.running >= 0) {
                    members.merge(replica.running, 1, Integer::sum);
                }
            }
            members.forEach((incarnation, count) -> {
                boolean quiet = now > FAULTS_MILLIS + CALM_MILLIS - QUIET_MILLIS;
                if (count >= QUORUM && !quiet && random.nextInt(4) == 0) {
                    decided.computeIfAbsent(incarnation, _ -> new ArrayList<>()).add(entries++);
                }
            });
        }

        /** A replica vouches for what it holds only in the incarnation in which it runs. */
        private void acknowledge() {
            for (int i = 0; i < REPLICAS; i++) {
                Replica replica = replicas[i];
                if (!replica.up || replica.running < 0) {
                    continue;
                }
                Map<Long, Set<Integer>> byEntry = vouchers.computeIfAbsent(replica.running, _ -> new HashMap<>());
                for (long entry : replica.log.subList(Math.max(0, replica.log.size() - 50), replica.log.size())) {
                    Set<Integer> vouching = byEntry.computeIfAbsent(entry, _ -> new HashSet<>());
                    vouching.add(i);
                    if (vouching.size() >= QUORUM) {
                        acknowledged.putIfAbsent(entry, replica.running);
                    }
                }
            }
        }
    }
}
