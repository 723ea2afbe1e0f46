package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.LockFixture.HeldLog;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests that entries of a log give the same replies, and the same names, on an overlay as at replay, whatever others
 * order meanwhile (rules 1 and 7), and that logs draw no more than what they took (rule 17).
 */
@NullMarked
class LockingPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final int ROUNDS = 24;
    private static final int STEPS = 120;
    private static final List<String> BUCKETS = List.of("films", "diary", "notes");

    private Random random = new Random(SEED);
    private LockFixture locks = new LockFixture();
    private MetadataFixture rig = locks.rig;
    private TreeMapState state = new TreeMapState();
    private User admin = rig.user(ALICE, 0);
    private User other = rig.user(BOB, 0);
    private final List<HeldLog> logs = new ArrayList<>();
    private final Map<HeldLog, List<Subtree>> held = new HashMap<>();
    private final Map<HeldLog, Map<Query, Bytes>> expected = new HashMap<>();
    private final Map<String, Integer> replies = new TreeMap<>();
    private long lastInode;
    private int names;

    @Test
    void entriesGiveTheSameOnAnOverlayAsAtReplay() {
        System.out.println("LockingPropertyTest bulwark.seed=" + SEED);
        for (int round = 0; round < ROUNDS; round++) {
            random = new Random(SEED + round);
            begin();
            for (int step = 0; step < STEPS; step++) {
                step();
                checkEscrow();
            }
            List.copyOf(logs).forEach(this::close);
            checkEscrow();
            checkNothingIsLeft();
        }
        System.out.println("replies to entries: " + replies);
        assertThat(replies.get("changed")).isGreaterThan(200);
    }

    private void begin() {
        locks = new LockFixture();
        rig = locks.rig;
        state = new TreeMapState();
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot(), state, GenesisKeys.NONE);
        logs.clear();
        held.clear();
        expected.clear();
        lastInode = 0;
        admin = rig.user(ALICE, 0);
        other = rig.user(BOB, rig.volume);
        admin.done(new Command.CreateBucket("notes", "main", Versioning.KEEP_ALL, 20_000 + random.nextInt(200_000)));
        if (random.nextBoolean()) {
            admin.done(new Command.UpdateBucket("notes", BucketChange.NONE.withVersioning(Versioning.SUSPENDED)));
        }
        if (random.nextBoolean()) {
            admin.done(new Command.SetActFor(BOB, READER, new Rights(true, true, false)));
            admin.done(new Command.SetGrant(READER, new Scope.OfBucket("films"), Rights.ALL));
        }
        for (String bucket : BUCKETS) {
            admin.run(new Command.PutDocument(bucket, Command.ClaimEvents.RULES, Condition.NONE, Bytes.EMPTY));
        }
        for (int i = 0; i < 30; i++) {
            ordered(random.nextInt(6), anyKey());
        }
        lock(BOB, new Subtree("films", "a/"), new Subtree("notes", "a/"));
        lock(random.nextBoolean() ? ALICE : BOB, new Subtree("diary", "a"));
    }

    private void lock(PrincipalId principal, Subtree... subtrees) {
        User user = rig.user(principal, rig.volume);
        if (user.run(LockFixture.lockOf(subtrees)) instanceof Reply.Locked locked) {
            HeldLog log = locks.held(user, locked);
            assertThat(locked.firstInode()).isGreaterThan(lastInode);
            logs.add(log);
            held.put(log, List.of(subtrees));
            capture(log);
        }
    }

    private void step() {
        switch (random.nextInt(100)) {
            case 0 -> touching();
            case 1 -> restart();
            case 2 -> rig.pass(admin, 10_000);
            case 3 -> {
                if (logs.size() < 4) {
                    lock(random.nextBoolean() ? ALICE : BOB, new Subtree(bucket(), pick("a/", "b/", "", "c")));
                }
            }
            default -> {
                if (random.nextBoolean() && !logs.isEmpty()) {
                    append(logs.get(random.nextInt(logs.size())));
                } else {
                    ordered(random.nextInt(24), anyKey());
                }
            }
        }
        for (HeldLog log : List.copyOf(logs)) {
            if (isClosing(log) && random.nextInt(10) == 0) {
                close(log);
            }
        }
    }

    private boolean isClosing(HeldLog log) {
        return rig.machine
                .locks()
                .log(log.id.holder(), log.id.session())
                .orElseThrow()
                .isClosing();
    }

    private void append(HeldLog log) {
        if (isClosing(log)) {
            return;
        }
        Optional<PrincipalId> person =
                random.nextInt(8) == 0 ? Optional.of(random.nextBoolean() ? READER : STRANGER) : Optional.empty();
        Bytes command = random.nextInt(40) == 0
                ? MetadataFixture.filled(random.nextInt(9), random.nextInt(100))
                : LockFixture.encoded(command(log));
        long at = Math.max(0, rig.nowMillis + random.nextInt(100_000) - 50_000);
        Reply reply = log.append(new LogEntry(at, person, command));
        replies.merge(reply instanceof Reply.Failed failed ? failed.error().name() : "changed", 1, Integer::sum);
        capture(log);
    }

    /** Reads all that the log holds, as of its last entry. */
    private void capture(HeldLog log) {
        Map<Query, Bytes> read = new HashMap<>();
        for (Subtree subtree : held.getOrDefault(log, List.of())) {
            for (Query query : List.of(
                    new Query.ListVersions(subtree.bucket(), subtree.prefix(), "", "", 0, 1000, true),
                    new Query.ListObjects(subtree.bucket(), subtree.prefix(), "/", Bytes.EMPTY, 1000, true))) {
                read.put(query, log.overlay.query(Optional.empty(), query.encoded()));
            }
        }
        expected.put(log, read);
    }

    private Command command(HeldLog log) {
        User user = log.user;
        List<Subtree> subtrees = held.getOrDefault(log, List.of());
        Subtree subtree = subtrees.get(random.nextInt(subtrees.size()));
        Subtree target = subtrees.get(random.nextInt(subtrees.size()));
        String bucket = random.nextInt(20) == 0 ? bucket() : subtree.bucket();
        String key = random.nextInt(20) == 0 ? anyKey() : subtree.prefix() + pick("x", "y", "a/z");
        String toKey = target.prefix() + pick("x", "y", "v");
        return switch (random.nextInt(9)) {
            case 0, 1, 2 -> {
                OwnContent layout = random.nextInt(3) == 0
                        ? user.inline(1 + random.nextInt(600))
                        : user.layout(random.nextInt(3) * 600L);
                yield user.putOf(
                        bucket,
                        key,
                        condition(),
                        random.nextInt(8) == 0 ? user.layout(5, List.of(user.range(0, 1))) : layout);
            }
            case 3 -> new Command.DeleteObject(bucket, key, version(), condition(), mode());
            case 4 -> new Command.DeleteObject(bucket, key, 0, Condition.NONE, mode());
            case 5 -> new Command.RenameObject(bucket, key, target.bucket(), toKey, condition());
            case 6 ->
                new Command.CopyObject(
                        bucket,
                        key,
                        version(),
                        target.bucket(),
                        toKey,
                        condition(),
                        random.nextBoolean() ? Optional.of(attributes()) : Optional.empty(),
                        ObjectLock.NONE);
            case 7 -> new Command.SetTags(bucket, key, version(), attributes().tags());
            default -> new Command.AbandonRanges(List.of(user.range(900, 1)), List.of());
        };
    }

    /** Commands of all kinds, most of them elsewhere. */
    private void ordered(int kind, String key) {
        String to = anyKey();
        switch (kind) {
            case 0, 1 -> other.run(other.putOf(bucket(), key, condition(), other.layout(random.nextInt(4) * 500L)));
            case 2 -> other.run(other.putOf(bucket(), key, condition(), other.inline(1 + random.nextInt(500))));
            case 3 -> other.run(new Command.CopyObject(bucket(), key, 0, bucket(), to, Condition.NONE));
            case 4 -> other.run(new Command.RenameObject(bucket(), key, bucket(), to, condition()));
            case 5 -> other.run(new Command.DeleteObject(bucket(), key, version(), Condition.NONE, mode()));
            case 6 ->
                other.run(new Command.SetTags(bucket(), key, 0, attributes().tags()));
            case 7 ->
                other.run(new Command.ComposeObject(
                        bucket(),
                        to,
                        Condition.NONE,
                        List.of(new ObjectRange(bucket(), key, 0, 0, ObjectRange.TO_END)),
                        attributes(),
                        ObjectLock.NONE));
            case 8 -> upload(key);
            case 9 -> {
                ObjectLayout layout = other.layout(600);
                other.run(new Command.RegisterPending(layout.ranges()));
            }
            case 10 -> other.run(new Command.AbandonRanges(other.layout(600).ranges(), List.of()));
            case 11 -> admin.run(new Command.CreateBucket("new" + names++, "main", Versioning.KEEP_ALL, 0));
            case 12 -> admin.run(new Command.DeleteBucket("new" + random.nextInt(names + 1)));
            case 13 -> admin.run(new Command.PutDocument("films", "cors", Condition.NONE, Bytes.of((byte) names)));
            case 14 -> admin.run(new Command.AddPrincipal(PrincipalId.client(100 + names++), Samples.KEY));
            case 15 -> admin.run(MetadataFixture.objectVolume("volume-" + names++));
            case 16 -> {
                User node = rig.user(PrincipalId.node(random.nextInt(5)), 0);
                node.run(new Command.ReportEvidence(
                        random.nextInt(5), BlockId.register(1, random.nextInt(3)), Verdict.CORRUPT, "?"));
                node.done(new Command.CloseSession());
            }
            case 17 -> admin.run(new Command.SetGrant(STRANGER, new Scope.OfVolume("main"), Rights.ALL));
            case 18 ->
                admin.run(new Command.SetRelease(MetadataFixture.filled(32, random.nextInt(5)), random.nextBoolean()));
            case 19 -> {
                User closing = rig.user(BOB, rig.volume);
                closing.run(closing.putOf("films", "b/z", Condition.NONE, closing.layout(700)));
                closing.done(new Command.CloseSession());
            }
            case 20 -> admin.run(new Command.OpenRound(new Subtree("films", "b/" + names)));
            case 21 -> rig.ask(READER, new Query.ListObjects(bucket(), "", "", Bytes.EMPTY, 100, false));
            default -> other.run(new Command.DeleteObject(bucket(), key, 0));
        }
    }

    private void upload(String key) {
        String bucket = bucket();
        if (other.run(new Command.BeginUpload(bucket, key, attributes(), ObjectLock.NONE))
                instanceof Reply.UploadBegun begun) {
            UploadName name = new UploadName(bucket, key, begun.upload());
            Reply part = other.run(new Command.PutPart(
                    name, 1, other.layout(700), ObjectAttributes.NONE, EpochClaim.of(rig.mainVolume()), List.of()));
            if (part instanceof Reply.PartStored stored && random.nextBoolean()) {
                PartSelection one = PartSelection.of(List.of(new PartSelection.Part(1, stored.inode())));
                other.run(new Command.CompleteUpload(name, one, Condition.NONE, ObjectAttributes.NONE));
            } else {
                other.run(new Command.AbortUpload(name));
            }
        }
    }

    /** Something that a log may rely on. It is refused as long as one does. */
    private void touching() {
        boolean isHeld = !logs.isEmpty();
        Command command = switch (random.nextInt(7)) {
            case 0 -> new Command.UpdateBucket("notes", BucketChange.NONE.withQuota(1_000_000));
            case 1 -> new Command.SetGrant(BOB, new Scope.OfBucket("films"), Rights.ALL);
            case 2 -> new Command.RotateKey(BOB, List.of(Samples.OTHER_KEY));
            case 3 -> new Command.ChangeHolder("main", random.nextInt(5), 1, 0, 4);
            case 4 -> new Command.SetActFor(BOB, READER, new Rights(true, false, false));
            case 5 -> new Command.DeleteVolume("main");
            default -> new Command.DeleteObject("films", "a/x", 0);
        };
        Reply reply = admin.run(command);
        if (isHeld && command instanceof Command.DeleteVolume) {
            MetadataFixture.assertFailed(reply, MetadataError.LOCKED);
        }
    }

    /** Has another process take over: all is in the state, and in the logs of the log servers. */
    private void restart() {
        state = new TreeMapState();
        Bytes snapshot = rig.machine.snapshot();
        rig.machine = MetadataStateMachine.restore(snapshot, state, GenesisKeys.NONE);
        assertThat(rig.machine.snapshot()).isEqualTo(snapshot);
        for (HeldLog log : logs) {
            if (!isClosing(log)) {
                LockView.Overlay overlay = rig.machine.locks().overlay(log.id);
                // They came one by one before.
                assertThat(overlay.execute(log.entries)).isEqualTo(log.replies);
                log.overlay = overlay;
            }
        }
    }

    private void close(HeldLog log) {
        if (!isClosing(log)) {
            if (random.nextBoolean()) {
                log.user.done(new Command.Unlock());
            } else {
                // It stays open for the log.
                log.user.done(new Command.RenewSession());
                admin.run(
                        new Command.OpenRound(held.getOrDefault(log, List.of()).getFirst()));
            }
        }
        for (int i = random.nextInt(5); i > 0; i--) {
            ordered(random.nextInt(24), anyKey());
        }
        logs.remove(log);
        log.finish();
        int length = log.entries.size();
        Reply.LogOutcome outcome = (Reply.LogOutcome) log.outcome(1);
        assertThat(outcome.length()).isEqualTo(length);
        assertThat(outcome.replies()).isEqualTo(log.replies.subList((int) outcome.first() - 1, length));
        expected.getOrDefault(log, Map.of())
                .forEach((query, reply) -> assertThat(rig.machine.query(ALICE, query.encoded()))
                        .as(query.toString())
                        .isEqualTo(reply));
        if (other.run(other.putOf("films", "z" + names++, Condition.NONE, other.layout(0)))
                instanceof Reply.ObjectStored stored) {
            assertThat(stored.inode()).isGreaterThan(log.locked.firstInode() + 4_000);
            lastInode = stored.inode();
        }
    }

    private Tables tables() {
        Tables tables = new Tables(state, Weight.BYTES_MAX);
        tables.begin();
        return tables;
    }

    private void checkEscrow() {
        Tables tables = tables();
        long volume = 0;
        long weight = 0;
        Map<String, Long> buckets = new TreeMap<>();
        for (Table.Entry<Tables.OwnedKey, Grant> grant : tables.logGrants.all()) {
            volume += grant.value().volumeBytes;
            weight += grant.value().weight;
            grant.value().buckets.forEach((name, left) -> buckets.merge(name, left, Long::sum));
        }
        Volumes.Usage usage = tables.usages.find(rig.volume).orElseThrow();
        assertThat(usage.escrow).isEqualTo(volume);
        assertThat(tables.totals().weightEscrow).isEqualTo(weight);
        for (Table.Entry<String, Bucket> bucket : tables.bucketsByName.all()) {
            assertThat(bucket.value().escrow).isEqualTo(buckets.getOrDefault(bucket.key(), 0L));
            assertThat(bucket.value().bytes + bucket.value().escrow)
                    .isLessThanOrEqualTo(bucket.value().limit());
        }
        assertThat(count(tables.locks)).isEqualTo(tables.totals().locks);
        assertThat(count(tables.marks)).isEqualTo(tables.totals().marks);
    }

    private void checkNothingIsLeft() {
        Tables tables = tables();
        for (Table<?, ?> table : List.of(
                tables.locks,
                tables.logGrants,
                tables.rounds,
                tables.lockDues,
                tables.pieces,
                tables.fetches,
                tables.supplied)) {
            assertThat(count(table)).isZero();
        }
    }

    private static <K, V> int count(Table<K, V> table) {
        int count = 0;
        for (Table.Entry<K, V> ignored : table.all()) {
            count++;
        }
        return count;
    }

    private String bucket() {
        return BUCKETS.get(random.nextInt(BUCKETS.size()));
    }

    /** Most keys are outside of the subtrees: else no log lasts. */
    private String anyKey() {
        return random.nextInt(60) == 0 || (logs.isEmpty() && random.nextBoolean())
                ? pick("a/x", "a/y", "x", "a")
                : pick("b/x", "b/y", "b/z", "c");
    }

    private String pick(String... of) {
        return of[random.nextInt(of.length)];
    }

    private Condition condition() {
        return switch (random.nextInt(8)) {
            case 0 -> Condition.IF_ABSENT;
            case 1 -> Condition.IF_PRESENT;
            case 2 -> Condition.ifVersion(1 + random.nextInt(60));
            default -> Condition.NONE;
        };
    }

    private Command.DeleteMode mode() {
        return Command.DeleteMode.values()[random.nextInt(3)];
    }

    private long version() {
        return switch (random.nextInt(6)) {
            case 0 -> 1 + random.nextInt(40);
            case 1 -> Versioning.NULL_VERSION;
            default -> 0;
        };
    }

    private ObjectAttributes attributes() {
        return new ObjectAttributes(
                "text/plain",
                new TreeMap<>(Map.of("color", pick("red", "blue"))),
                new TreeMap<>(Map.of("etag", "e" + random.nextInt(9))));
    }
}
