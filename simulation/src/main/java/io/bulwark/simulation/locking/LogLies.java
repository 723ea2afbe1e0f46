package io.bulwark.simulation.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LockingMessage.Append;
import io.bulwark.protocol.locking.LockingMessage.Appended;
import io.bulwark.protocol.locking.LockingMessage.LogAnswer;
import io.bulwark.protocol.locking.LockingMessage.LogAnswerDigest;
import io.bulwark.protocol.locking.LockingMessage.LogRefused;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.LogRefusal;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;

/**
 * Lies of a faulty log server. All liars of one world share what they have heard, and forge the same, so that a holder
 * would count them together.
 */
final class LogLies {
    private static final int CHANGED_ONE_IN = 40;
    private static final int ATTACKS_ONE_IN = 8;
    private static final int HEADS_KEPT = 20;

    private final Bytes cluster;
    private final Shared shared;
    private final Random random;
    private Manner manner;

    /** Behaviour for a while. */
    private enum Manner {
        HONEST,
        /** It answers no holder. */
        SILENT,
        /** It refuses without a reason. */
        DENYING,
        /** It acknowledges, and says at the close that the log ended earlier. */
        TRUNCATING,
        /** It says where the log ends, and keeps the entries to itself. */
        WITHHOLDING,
        /** It forges replies, heads and entries. */
        FORGING
    }

    /** Knowledge of all liars of one world. */
    static final class Shared {
        private final Map<LogId, List<LogHead>> heads = new TreeMap<>();
        private final Map<LogId, List<Append>> batches = new TreeMap<>();

        /** A batch that any liar or faulty holder knows. */
        void add(Append append) {
            List<LogHead> known = heads.computeIfAbsent(append.log(), log -> new ArrayList<>());
            if (known.size() < HEADS_KEPT && !known.contains(append.head())) {
                known.add(append.head());
                batches.computeIfAbsent(append.log(), log -> new ArrayList<>()).add(append);
            }
        }
    }

    LogLies(Bytes cluster, Shared shared, long seed) {
        this.cluster = cluster;
        this.shared = shared;
        random = new Random(seed);
        manner = any(Manner.values());
    }

    void onRequest(LockingMessage.ToServer asked) {
        if (random.nextInt(CHANGED_ONE_IN) == 0) {
            manner = any(Manner.values());
        }
        if (asked instanceof Append append) {
            shared.add(append);
        }
    }

    /** Returns the answer in place of a correct one; empty for none. */
    Optional<LockingMessage.ToHolder> answer(LockingMessage.ToHolder correct) {
        return switch (manner) {
            case HONEST, TRUNCATING, WITHHOLDING -> Optional.of(correct);
            case SILENT -> Optional.empty();
            case DENYING ->
                Optional.of(new LogRefused(
                        correct.log(),
                        callOf(correct),
                        any(LogRefusal.values()),
                        random.nextInt(LogLimits.ENTRIES_MAX)));
            case FORGING -> Optional.of(forged(correct));
        };
    }

    private static long callOf(LockingMessage.ToHolder answer) {
        return switch (answer) {
            case LogAnswer whole -> whole.call();
            case LogAnswerDigest digest -> digest.call();
            case LogRefused refused -> refused.call();
            case Appended ignored -> LogRefused.BATCH;
        };
    }

    private static LockingMessage.ToHolder forged(LockingMessage.ToHolder correct) {
        Bytes nothing = new Reply.Failed(MetadataError.NO_SUCH_OBJECT, "").encoded();
        return switch (correct) {
            case Appended appended ->
                new Appended(
                        appended.log(),
                        appended.length(),
                        appended.hash(),
                        appended.replies().stream().map(reply -> nothing).toList());
            case LogAnswer whole -> new LogAnswer(whole.log(), whole.call(), nothing);
            case LogAnswerDigest digest -> new LogAnswerDigest(digest.log(), digest.call(), Hashes.sha256(nothing));
            case LogRefused refused -> refused;
        };
    }

    /** Returns the submissions in place of a correct one. */
    List<Bytes> submission(Bytes correct) {
        return switch (manner) {
            case HONEST, DENYING -> List.of(correct);
            case SILENT -> random.nextBoolean() ? List.of() : List.of(correct);
            case TRUNCATING, FORGING, WITHHOLDING -> altered(Submission.decode(correct));
        };
    }

    private List<Bytes> altered(Submission correct) {
        if (!(correct instanceof Submission.Fetch fetch)) {
            return manner == Manner.WITHHOLDING ? List.of() : List.of(correct.encoded());
        }
        List<Submission.Fetched> lies = fetch.logs().stream()
                .map(end -> new Submission.Fetched(end.log(), head(end)))
                .toList();
        return List.of(new Submission.Fetch(lies).encoded());
    }

    private LogHead head(Submission.Fetched correct) {
        LogId log = correct.log();
        List<LogHead> known = shared.heads.getOrDefault(log, List.of());
        return switch (manner) {
            case TRUNCATING ->
                known.isEmpty() || random.nextBoolean()
                        ? LogHead.empty(LogChain.root(cluster, log))
                        : known.get(random.nextInt(known.size()));
            case FORGING -> {
                LogHead head = known.isEmpty() ? correct.head() : known.getLast();
                long length = Math.min(head.length() + random.nextInt(3), LogLimits.ENTRIES_MAX);
                yield head.length() == 0 ? head : new LogHead(length, Hashes.sha256(head.hash()), head.signature());
            }
            default -> known.isEmpty() ? correct.head() : known.getLast();
        };
    }

    /** Returns what it has ordered without a reason: ends and entries of logs, true and false, and steps. */
    List<Bytes> attacks(LockView view, PrincipalId self) {
        if (random.nextInt(ATTACKS_ONE_IN) != 0 || manner == Manner.HONEST) {
            return List.of();
        }
        List<LockView.OpenLog> owed = view.fetchesOwed(self);
        if (owed.isEmpty()) {
            return List.of(new Submission.Fetch(List.of()).encoded());
        }
        LogId log = owed.get(random.nextInt(owed.size())).id();
        List<Append> batches = shared.batches.getOrDefault(log, List.of());
        if (batches.isEmpty() || random.nextInt(3) == 0) {
            LogEntry entry = new LogEntry(0, Optional.empty(), Bytes.of(new byte[random.nextInt(20)]));
            List<LogEntry> entries = new ArrayList<>();
            for (int i = random.nextInt(200); i >= 0; i--) {
                entries.add(entry);
            }
            return List.of(new Submission.Pieces(log, 1, LogChain.root(cluster, log), entries).encoded());
        }
        Append batch = batches.get(random.nextInt(batches.size()));
        if (random.nextInt(4) == 0) {
            return List.of(twice(new Submission.Fetched(log, batch.head())));
        }
        return random.nextBoolean()
                ? List.of(new Submission.Fetch(List.of(new Submission.Fetched(log, batch.head()))).encoded())
                : List.of(new Submission.Pieces(
                                log,
                                batch.first(),
                                batch.first() == 1 ? LogChain.root(cluster, log) : before(batches, batch),
                                random.nextBoolean()
                                        ? batch.entries()
                                        : batch.entries().subList(0, 1))
                        .encoded());
    }

    /** Returns a FETCH that says the same twice, which none of a correct server does. */
    private static Bytes twice(Submission.Fetched end) {
        Bytes once = new Submission.Fetch(List.of(end)).encoded();
        Bytes head = once.slice(3, once.length() - 3);
        return new WireWriter().raw(once.slice(0, 1)).u16(2).raw(head).raw(head).toBytes();
    }

    /** Returns some hash of the entry before a batch; a false one if no liar knows one. */
    private static Bytes before(List<Append> batches, Append batch) {
        return batches.stream()
                .filter(other -> other.head().length() == batch.first() - 1)
                .map(other -> other.head().hash())
                .findFirst()
                .orElse(batch.head().hash());
    }

    private <T> T any(T[] of) {
        return of[random.nextInt(of.length)];
    }
}
