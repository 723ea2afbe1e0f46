package io.bulwark.simulation.locking;

import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.LogRead;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * A faulty client with two sessions for locks. It signs several chains of one log, shows each to some servers, or a head to
 * a liar alone, and locks, opens rounds and reads as it likes. What it appends about names of correct clients has no
 * effect, so that their history can be judged without it; in a bucket of its own it changes names.
 */
final class FaultyHolder {
    private static final int LOGS_KEPT = 4;
    private static final int LARGE_ONE_IN = 30;
    private static final int WRONG_ONE_IN = 6;
    private static final int ENTRIES_MAX = 6;

    private final Party party;
    private final Bytes cluster;
    private final int volume;
    private final LogLies.Shared lies;
    private final Random random;
    private final List<OrderedSession> sessions = new ArrayList<>();
    private final List<ForkedLog> logs = new ArrayList<>();

    /** A log with several chains, each of which ends in one of these heads. */
    private static final class ForkedLog {
        private final LogId id;
        private final HolderKey key;
        private final List<LogHead> ends = new ArrayList<>();

        private ForkedLog(LogId id, HolderKey key, Bytes root) {
            this.id = id;
            this.key = key;
            ends.add(LogHead.empty(root));
        }
    }

    FaultyHolder(Party party, Bytes cluster, int volume, LogLies.Shared lies, long seed) {
        this.party = party;
        this.cluster = cluster;
        this.volume = volume;
        this.lies = lies;
        random = new Random(seed);
        for (int i = 0; i < 2; i++) {
            sessions.add(new OrderedSession(party, volume));
        }
    }

    PrincipalId self() {
        return party.self();
    }

    /** Does something wrong. */
    void step() {
        for (int i = 0; i < sessions.size(); i++) {
            if (sessions.get(i).isLost()) {
                sessions.set(i, new OrderedSession(party, volume));
            }
        }
        OrderedSession session = sessions.get(random.nextInt(sessions.size()));
        switch (random.nextInt(10)) {
            case 0, 1 -> lock(session, List.of(anySubtree()));
            case 2 -> lock(session, List.of(anySubtree(), anySubtree()));
            case 3 -> session.submit(anyOrdered(), reply -> {});
            case 4 -> submitAsServer();
            default -> {
                if (!logs.isEmpty()) {
                    useLog(logs.get(random.nextInt(logs.size())));
                }
            }
        }
    }

    private Subtree anySubtree() {
        String bucket = random.nextInt(3) == 0 ? LockingWorld.NAMES : LockingWorld.WILD;
        return new Subtree(bucket, any("a/", "b/", "a/1", "c", ""));
    }

    private void lock(OrderedSession session, List<Subtree> subtrees) {
        HolderKey key = new HolderKey(random.nextLong());
        session.submit(new Command.Lock(subtrees, key.named()), reply -> {
            if (reply instanceof Reply.Locked locked) {
                logs.add(new ForkedLog(locked.log(), key, LogChain.root(cluster, locked.log())));
                if (logs.size() > LOGS_KEPT) {
                    logs.removeFirst();
                }
            }
        });
    }

    private Command anyOrdered() {
        return switch (random.nextInt(6)) {
            case 0, 1 -> new Command.OpenRound(anySubtree());
            case 2 -> new Command.Unlock();
            case 3 -> new Command.CloseSession();
            case 4 -> new Command.RenewSession();
            default -> wild();
        };
    }

    private Command wild() {
        String key = any("a/1", "b/1", "c");
        return random.nextInt(4) == 0
                ? new Command.DeleteObject(LockingWorld.WILD, key, 0)
                : new NameRequest.Put(key, "wild", Condition.NONE)
                        .command(LockingWorld.WILD, volume)
                        .orElseThrow();
    }

    /** Speaks for a log server, which no client may. */
    private void submitAsServer() {
        if (!logs.isEmpty()) {
            ForkedLog log = logs.getFirst();
            party.submit(
                    new Submission.Fetch(List.of(new Submission.Fetched(log.id, log.ends.getLast()))), reply -> {});
        }
    }

    private void useLog(ForkedLog log) {
        if (random.nextInt(8) == 0) {
            Query query = new Query.ListObjects(LockingWorld.WILD, "", "", Bytes.EMPTY, 10, true);
            LogRead read = new LogRead(
                    log.id,
                    1 + random.nextInt(9),
                    random.nextInt(5),
                    random.nextInt(9),
                    Optional.empty(),
                    query.encoded());
            party.replicas().forEach(server -> party.send(server, read));
            return;
        }
        LogHead end = log.ends.get(random.nextInt(4) == 0 ? random.nextInt(log.ends.size()) : log.ends.size() - 1);
        List<LogEntry> entries = entries((int) (LogLimits.ENTRIES_MAX - end.length()));
        if (entries.isEmpty()) {
            return;
        }
        Bytes hash = end.hash();
        long number = end.length();
        for (LogEntry entry : entries) {
            hash = LogChain.next(hash, ++number, entry);
        }
        boolean isWrong = random.nextInt(WRONG_ONE_IN) == 0;
        Bytes signature = isWrong
                ? Bytes.of(new byte[P256.SIGNATURE_BYTES])
                : log.key.sign(LogChain.signed(cluster, log.id, number, hash));
        Append append = new Append(log.id, entries, new LogHead(number, hash, signature));
        log.ends.add(append.head());
        show(append);
    }

    private List<LogEntry> entries(int left) {
        List<LogEntry> entries = new ArrayList<>();
        if (random.nextInt(LARGE_ONE_IN) == 0) {
            for (int i = 0; i < Math.min(left, 4); i++) {
                entries.add(new LogEntry(0, Optional.empty(), Bytes.of(new byte[LogEntry.COMMAND_BYTES_MAX])));
            }
            return entries;
        }
        for (int i = random.nextInt(ENTRIES_MAX); i >= 0 && entries.size() < left; i--) {
            long at = random.nextInt(3) == 0 ? random.nextLong() >>> 1 : party.nowMillis();
            entries.add(new LogEntry(at, Optional.empty(), anyCommand()));
        }
        return entries;
    }

    private Bytes anyCommand() {
        return switch (random.nextInt(5)) {
            case 0 -> Bytes.of(new byte[random.nextInt(9)]);
            case 1 ->
                new NameRequest.Put("a/1", "never", Condition.ifVersion(Long.MAX_VALUE))
                        .command(LockingWorld.NAMES, volume)
                        .orElseThrow()
                        .encoded();
            case 2 -> new Command.Unlock().encoded();
            default -> wild().encoded();
        };
    }

    private void show(Append append) {
        switch (random.nextInt(5)) {
            case 0 -> lies.add(append);
            case 1 ->
                party.send(party.replicas().get(random.nextInt(party.replicas().size())), append);
            case 2 ->
                party.replicas().stream()
                        .filter(server -> random.nextBoolean())
                        .forEach(server -> party.send(server, append));
            default -> party.replicas().forEach(server -> party.send(server, append));
        }
    }

    private String any(String... of) {
        return of[random.nextInt(of.length)];
    }
}
