package io.bulwark.storage.revocation;

import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.id.PrincipalId;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * What the node's servers say of each who is revoked. They are told again for whoever asks: that all is decided is answered to him once,
 * and of a round that began after he first asked since the last such answer. So who has two such answers, one after the other, knows
 * that all is decided that was under way at the first, though another's question, or a late one of his own, began the round of that.
 */
final class Rounds {
    private static final int ASKERS_MAX = 1_024;

    private record Asker(PrincipalId who, PrincipalId revoked) implements Comparable<Asker> {
        private static final Comparator<Asker> ORDER =
                Comparator.comparing(Asker::who).thenComparing(Asker::revoked);

        @Override
        public int compareTo(Asker other) {
            return ORDER.compare(this, other);
        }
    }

    /** What one server has said in its round. */
    private record Said(int round, boolean refuses, int undecided) {}

    private static final class Standing implements RevocationWatch {
        private static final Said NOTHING = new Said(0, false, 0);
        private final Map<PrincipalId, Said> said = new ConcurrentHashMap<>();

        @Override
        public void begins(PrincipalId revoked) {
            said.compute(revoked, (_, before) -> new Said(before == null ? 1 : before.round() + 1, false, 0));
        }

        @Override
        public void refuses(PrincipalId revoked, int left) {
            said.computeIfPresent(revoked, (_, now) -> new Said(now.round(), true, left));
        }

        Said of(PrincipalId revoked) {
            return said.getOrDefault(revoked, NOTHING);
        }
    }

    private final List<Standing> servers = new CopyOnWriteArrayList<>();
    /** How often the servers were told of each: the number of the round. */
    private final Map<PrincipalId, Integer> told = new ConcurrentHashMap<>();
    /** From which round on the answer is new to an asker. */
    private final LinkedHashMap<Asker, Integer> askers = new LinkedHashMap<>();

    private final Consumer<PrincipalId> tell;

    /** @param tell tells each server once */
    Rounds(Consumer<PrincipalId> tell) {
        this.tell = tell;
    }

    /** For one server, which counts from now on. */
    RevocationWatch watch() {
        Standing standing = new Standing();
        servers.add(standing);
        return standing;
    }

    boolean knows(PrincipalId revoked) {
        return told.containsKey(revoked);
    }

    void begin(PrincipalId revoked) {
        told.merge(revoked, 1, Integer::sum);
        tell.accept(revoked);
    }

    RevocationReply answer(PrincipalId who, PrincipalId revoked) {
        Integer round = told.get(revoked);
        if (round == null) {
            return new RevocationReply(revoked, false, 0);
        }
        Asker asker = new Asker(who, revoked);
        int since = askers.computeIfAbsent(asker, _ -> round + 1);
        if (askers.size() > ASKERS_MAX) {
            askers.pollFirstEntry();
        }
        boolean refused = true;
        long undecided = 0;
        for (Standing server : servers) {
            Said said = server.of(revoked);
            refused &= said.round() == round && said.refuses();
            undecided += said.undecided();
        }
        boolean over = refused && undecided == 0;
        if (over && round < since) {
            begin(revoked);
            return new RevocationReply(revoked, false, 0);
        }
        if (over) {
            askers.remove(asker);
        }
        return new RevocationReply(revoked, refused, undecided);
    }
}
