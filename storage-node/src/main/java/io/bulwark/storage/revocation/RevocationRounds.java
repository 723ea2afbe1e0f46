package io.bulwark.storage.revocation;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Reports of the node's servers on each revoked principal. A server is told again when a party asks. An asker gets the
 * answer that all is decided once. It is of a round that began after his first question since the last such answer. Two
 * such answers in a row prove that everything in flight at the first is decided. This holds even if another's question,
 * or a late one of his own, began that round.
 */
final class RevocationRounds {
    private static final int ASKERS_MAX = 1_024;
    private static final int PER_ASKER_MAX = 64;
    /**
     * Shortest time for which the result of a finished round stays valid; it is at least the duration of the round. All
     * repeated askers thus learn the result, even if others request new rounds all the time. These keep the node busy
     * half of the time at most.
     */
    private static final long OVER_MILLIS_MIN = 500;

    private static final long OVER_MILLIS_MAX = 10_000;

    private record BegunRound(int round, long atMillis) {}

    /** Report of one server in its round. */
    private record ServerReport(int round, boolean refuses, int undecided, long atMillis) {}

    private final class ServerWatch implements RevocationWatch {
        private static final ServerReport NOTHING = new ServerReport(0, false, 0, 0);
        private final Map<PrincipalId, ServerReport> said = new ConcurrentHashMap<>();

        @Override
        public void begins(PrincipalId revoked) {
            said.compute(
                    revoked, (_, before) -> new ServerReport(before == null ? 1 : before.round() + 1, false, 0, 0));
        }

        @Override
        public void refuses(PrincipalId revoked, int left) {
            long atMillis = clock.getAsLong();
            said.computeIfPresent(revoked, (_, now) -> new ServerReport(now.round(), true, left, atMillis));
        }

        @Override
        public void waitsFor(BlockId block, long timestamp) {
            awaited.waitsFor(block, timestamp, List.of());
        }

        @Override
        public void waitsFor(BlockId block, long timestamp, List<PrincipalId> peers) {
            orphanedPrepares.waitsFor(block, timestamp, peers);
        }

        ServerReport of(PrincipalId revoked) {
            return said.getOrDefault(revoked, NOTHING);
        }
    }

    private final List<ServerWatch> servers = new CopyOnWriteArrayList<>();
    /** Number of the current round of each principal: how often the servers were told of it. */
    private final Map<PrincipalId, BegunRound> told = new ConcurrentHashMap<>();
    /** Round from which the answer is new to an asker, by whom he asks for; who asked last is last. */
    private final LinkedHashMap<PrincipalId, LinkedHashMap<PrincipalId, Integer>> askers =
            new LinkedHashMap<>(16, 0.75f, true);

    private final Consumer<PrincipalId> tell;
    private final LongSupplier clock;
    private final UnsettledVersions awaited;
    /** Apart, so that the leftovers of one client's writes do not keep from the log why a revocation does not end. */
    private final UnsettledVersions orphanedPrepares;

    /**
     * @param tell tells each server once
     * @param clock in milliseconds, and never steps
     */
    RevocationRounds(Consumer<PrincipalId> tell, LongSupplier clock, UnsettledVersions.Log log) {
        this.tell = tell;
        this.clock = clock;
        this.awaited = new UnsettledVersions(log, clock);
        this.orphanedPrepares = new UnsettledVersions(log, clock);
    }

    /** Returns the watch of one more server, which counts from now on. */
    RevocationWatch watch() {
        ServerWatch standing = new ServerWatch();
        servers.add(standing);
        return standing;
    }

    boolean knows(PrincipalId revoked) {
        return told.containsKey(revoked);
    }

    /**
     * Learns all principals that are revoked now. No answer about one of them is given before the servers know all.
     * While a server knows only one, a version that two of them have prepared counts as that of a client that is not
     * revoked.
     */
    void learn(List<PrincipalId> revoked) {
        long now = clock.getAsLong();
        revoked.forEach(tell);
        revoked.forEach(each -> told.put(each, new BegunRound(1, now)));
    }

    private void begin(PrincipalId revoked) {
        long now = clock.getAsLong();
        told.computeIfPresent(revoked, (_, before) -> new BegunRound(before.round() + 1, now));
        tell.accept(revoked);
    }

    RevocationReply answer(PrincipalId who, PrincipalId revoked) {
        BegunRound begun = told.get(revoked);
        if (begun == null) {
            return new RevocationReply(revoked, false, 0);
        }
        int since = since(who, revoked, begun.round() + 1);
        boolean refused = true;
        long undecided = 0;
        long overMillis = begun.atMillis();
        for (ServerWatch server : servers) {
            ServerReport said = server.of(revoked);
            refused &= said.round() == begun.round() && said.refuses();
            undecided += said.undecided();
            overMillis = Math.max(overMillis, said.atMillis());
        }
        boolean over = refused && undecided == 0;
        if (over && begun.round() < since) {
            long stays = Math.clamp(overMillis - begun.atMillis(), OVER_MILLIS_MIN, OVER_MILLIS_MAX);
            if (clock.getAsLong() - overMillis >= stays) {
                begin(revoked);
            }
            return new RevocationReply(revoked, false, 0);
        }
        if (over) {
            askers.getOrDefault(who, new LinkedHashMap<>()).remove(revoked);
        }
        return new RevocationReply(revoked, refused, undecided);
    }

    /** Returns the first round whose result counts for this asker. No asker takes the room of others. */
    private int since(PrincipalId who, PrincipalId revoked, int next) {
        LinkedHashMap<PrincipalId, Integer> asked = askers.computeIfAbsent(who, _ -> new LinkedHashMap<>());
        int since = asked.computeIfAbsent(revoked, _ -> next);
        if (asked.size() > PER_ASKER_MAX) {
            asked.pollFirstEntry();
        }
        if (askers.size() > ASKERS_MAX) {
            askers.pollFirstEntry();
        }
        return since;
    }
}
