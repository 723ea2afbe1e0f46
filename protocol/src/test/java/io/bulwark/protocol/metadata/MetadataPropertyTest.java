package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.state.MemoryPageStore;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests random commands against a simple model of names and blocks. It also checks a second replica, a replica restored
 * from an intermediate snapshot, and a storage node that follows the facts.
 */
@NullMarked
class MetadataPropertyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261121L);
    private static final int ROUNDS = 6;
    private static final int STEPS = 300;
    private static final long CACHE_BYTES = 16 << 10;
    private static final List<String> BUCKETS = List.of("films", "diary", "notes", "vault");

    private Random random = new Random(SEED);
    private MetadataFixture rig = MetadataFixture.ready();
    private MemoryPageStore store = new MemoryPageStore();
    private StateTree tree = StateTree.empty(store, CACHE_BYTES);
    private long checkpoints;
    private MetadataStateMachine replica = rig.machine;
    private MetadataStateMachine restored = rig.machine;
    private NodeView node = new NodeView();
    private Writer writer = new Writer(0);

    /** By bucket and key: the versions by number. */
    private final Map<String, TreeMap<String, TreeMap<Long, Made>>> names = new TreeMap<>();

    private final Map<String, Versioning> versioning = new TreeMap<>();

    private final Map<Long, ObjectLayout> inodes = new TreeMap<>();
    private final Set<BlockId> everReferenced = new HashSet<>();
    private final Set<BlockId> dead = new HashSet<>();

    /** A version; its inode is 0 for a delete marker. */
    private record Made(long inode, boolean isNull, String etag, ObjectLock lock) {
        private Made withLock(ObjectLock other) {
            return new Made(inode, isNull, etag, other);
        }
    }

    /** One session, with the counters that were ever used in it. */
    private static final class Writer {
        private final long session;
        private final Set<Long> used = new HashSet<>();
        private final Map<Long, BlockRange> pending = new TreeMap<>();
        private long number;

        private Writer(long session) {
            this.session = session;
        }
    }

    @Test
    void theStateMachineDoesWhatTheModelDoes() {
        System.out.println("MetadataPropertyTest bulwark.seed=" + SEED);
        for (int round = 0; round < ROUNDS; round++) {
            random = new Random(SEED + round);
            rig = MetadataFixture.ready();
            store = new MemoryPageStore();
            tree = StateTree.empty(store, CACHE_BYTES);
            checkpoints = 0;
            replica = MetadataStateMachine.restore(rig.machine.snapshot(), tree, GenesisKeys.NONE);
            restored = replica;
            node = new NodeView();
            names.clear();
            BUCKETS.forEach(bucket -> names.put(bucket, new TreeMap<>()));
            inodes.clear();
            everReferenced.clear();
            dead.clear();
            writer = open();
            versioning.clear();
            versioning.put("films", Versioning.LATEST_ONLY);
            versioning.put("diary", Versioning.KEEP_ALL);
            versioning.put("notes", Versioning.LATEST_ONLY);
            versioning.put("vault", Versioning.KEEP_ALL);
            run(new Command.CreateBucket("notes", "main", Versioning.LATEST_ONLY, 0));
            run(new Command.CreateBucket("vault", "main", Versioning.KEEP_ALL, 0, true));
            int snapshotAt = random.nextInt(STEPS);
            for (int step = 0; step < STEPS; step++) {
                if (step == snapshotAt) {
                    restored = MetadataStateMachine.restore(rig.machine.snapshot());
                }
                step();
                if (step % 10 == 0) {
                    compare();
                }
            }
            drain();
        }
    }

    private void step() {
        switch (random.nextInt(16)) {
            case 0, 1, 2, 3 -> put();
            case 4, 5 -> delete();
            case 12 -> update();
            case 13 -> setRetention();
            case 14 -> setLegalHold();
            case 6 -> rename();
            case 7 -> copy();
            case 8 -> abandon();
            case 9 -> register();
            case 10 -> rig.nowMillis += random.nextInt(40_000);
            default -> {
                if (random.nextInt(4) == 0) {
                    run(new Command.CloseSession());
                    writer = open();
                }
            }
        }
    }

    private Writer open() {
        byte[] nonce = new byte[16];
        random.nextBytes(nonce);
        Reply reply = submit(new Submission.OpenSession(Bytes.of(nonce), rig.volume));
        return new Writer(((Reply.SessionOpened) reply).session());
    }

    private Reply submit(Submission submission) {
        rig.nowMillis += 100;
        Bytes bytes = submission.encoded();
        Bytes reply = rig.machine.execute(MetadataFixture.ALICE, bytes, rig.nowMillis);
        assertThat(executedOnPages(bytes)).isEqualTo(reply);
        if (restored != replica) {
            assertThat(restored.execute(MetadataFixture.ALICE, bytes, rig.nowMillis))
                    .isEqualTo(reply);
        }
        return Reply.decode(reply);
    }

    /** At a replica whose state is in pages, which knows nothing else; some commands are done a second time. */
    private Bytes executedOnPages(Bytes bytes) {
        tree.begin();
        if (random.nextInt(8) == 0) {
            var _ = replica.execute(MetadataFixture.ALICE, bytes, rig.nowMillis);
            tree.rollback();
        }
        Bytes reply =
                new MetadataStateMachine(tree, GenesisKeys.NONE).execute(MetadataFixture.ALICE, bytes, rig.nowMillis);
        if (random.nextInt(20) == 0) {
            checkpoints++;
            store.write(tree.checkpoint(checkpoints).batch());
            tree.stored(checkpoints);
        }
        return reply;
    }

    private Reply run(Command command) {
        long number = ++writer.number;
        Submission.InSession in =
                new Submission.InSession(writer.session, number, Math.max(1, number - random.nextInt(5)), command);
        Reply reply = submit(in);
        if (random.nextInt(8) == 0 && !(command instanceof Command.CloseSession)) {
            assertThat(submit(in)).isEqualTo(reply);
        }
        return reply;
    }

    private String anyBucket() {
        return BUCKETS.get(random.nextInt(BUCKETS.size()));
    }

    private String anyKey() {
        return "k" + random.nextInt(6);
    }

    private BlockRange anyRange(long count) {
        return new BlockRange(rig.volume, MetadataFixture.ALICE, writer.session, random.nextInt(400), count);
    }

    private boolean free(BlockRange range) {
        return counters(range).noneMatch(writer.used::contains);
    }

    private static LongStream counters(BlockRange range) {
        return LongStream.range(range.first(), range.first() + range.count());
    }

    private void put() {
        String bucket = anyBucket();
        String key = anyKey();
        Condition condition = anyCondition(bucket, key);
        String etag = anyEtag();
        ObjectLock lock = bucket.equals("vault") && random.nextInt(3) == 0
                ? new ObjectLock(anyRetention(), random.nextInt(8) == 0)
                : ObjectLock.NONE;
        boolean usesPending = !writer.pending.isEmpty() && random.nextInt(3) == 0;
        Map.Entry<Long, BlockRange> pending =
                usesPending ? writer.pending.entrySet().iterator().next() : Map.entry(0L, anyRange(1));
        long blocks = usesPending ? 1 + random.nextInt((int) pending.getValue().count()) : random.nextInt(5);
        BlockRange range = usesPending
                ? new BlockRange(
                        rig.volume,
                        MetadataFixture.ALICE,
                        writer.session,
                        pending.getValue().first(),
                        blocks)
                : anyRange(Math.max(1, blocks));
        ObjectLayout layout = layout(blocks, range);
        Reply reply = run(new Command.PutObject(
                bucket,
                key,
                condition,
                layout,
                attributes(etag),
                lock,
                blocks == 0 ? List.of() : EpochClaim.of(rig.mainVolume()),
                usesPending ? List.of(pending.getKey()) : List.of()));
        boolean holds = holds(condition, bucket, key);
        boolean fits = blocks == 0 || usesPending || free(range);
        if (!holds || !fits) {
            MetadataFixture.assertFailed(reply, holds ? MetadataError.RANGE_USED : MetadataError.CONDITION_FAILED);
            return;
        }
        Reply.ObjectStored stored = (Reply.ObjectStored) reply;
        layout.ranges().forEach(each -> counters(each).forEach(writer.used::add));
        if (usesPending) {
            writer.pending.remove(pending.getKey());
        }
        inodes.put(stored.inode(), layout);
        link(bucket, key, stored, etag, lock);
    }

    private ObjectLayout layout(long blocks, BlockRange range) {
        return new ObjectLayout(
                rig.volume,
                MetadataFixture.BLOCK,
                blocks * MetadataFixture.BLOCK,
                blocks == 0 ? List.of() : List.of(range),
                MetadataFixture.filled((int) blocks * ObjectLayout.PIN_BYTES, 1));
    }

    private Condition anyCondition(String bucket, String key) {
        return switch (random.nextInt(7)) {
            case 0 -> Condition.IF_ABSENT;
            case 1 -> Condition.ifVersion(Math.max(1, latest(bucket, key)));
            case 2 -> Condition.IF_PRESENT;
            case 3 -> Condition.ifProperty("etag", anyEtag());
            default -> Condition.NONE;
        };
    }

    private String anyEtag() {
        return "e" + random.nextInt(2);
    }

    private static ObjectAttributes attributes(String etag) {
        return ObjectAttributes.NONE.withProperties(new TreeMap<>(Map.of("etag", etag)));
    }

    /** Returns a retention that ends soon, or late. */
    private Retention anyRetention() {
        Retention.Mode mode = random.nextBoolean() ? Retention.Mode.GOVERNANCE : Retention.Mode.COMPLIANCE;
        return new Retention(mode, rig.nowMillis + 1_000 + random.nextInt(400_000));
    }

    private void link(String bucket, String key, Reply.ObjectStored stored, String etag, ObjectLock lock) {
        NavigableMap<Long, Made> versions = versions(bucket, key);
        boolean isNull = versioning.get(bucket) != Versioning.KEEP_ALL;
        if (isNull) {
            versions.values().removeIf(Made::isNull);
        }
        assertThat(versions).doesNotContainKey(stored.version());
        assertThat(stored.isNull()).isEqualTo(isNull);
        assertThat(stored.lock()).isEqualTo(lock);
        versions.put(stored.version(), new Made(stored.inode(), isNull, etag, lock));
    }

    private void delete() {
        String bucket = anyBucket();
        String key = anyKey();
        NavigableMap<Long, Made> versions = versions(bucket, key);
        if (random.nextInt(3) == 0 && !versions.isEmpty()) {
            deleteVersion(bucket, key, new ArrayList<>(versions.keySet()).get(random.nextInt(versions.size())));
            return;
        }
        Condition condition = anyCondition(bucket, key);
        boolean even = random.nextInt(3) == 0;
        Command.DeleteMode mode = even ? Command.DeleteMode.EVEN_IF_ABSENT : Command.DeleteMode.STRICT;
        boolean isShown = shown(bucket, key).isPresent();
        Reply reply = run(new Command.DeleteObject(bucket, key, 0, condition, mode));
        if (!isShown && !even) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
        } else if (!holds(condition, bucket, key)) {
            MetadataFixture.assertFailed(reply, MetadataError.CONDITION_FAILED);
        } else if (!isShown && versioning.get(bucket) == Versioning.LATEST_ONLY) {
            assertThat(reply).isEqualTo(new Reply.Deleted(0, false, true));
        } else {
            hide(bucket, key, ((Reply.Deleted) reply).version());
        }
    }

    private void deleteVersion(String bucket, String key, long version) {
        NavigableMap<Long, Made> versions = versions(bucket, key);
        Made made = Optional.ofNullable(versions.get(version)).orElseThrow();
        boolean bypass = random.nextInt(4) == 0;
        boolean named = made.isNull() && random.nextBoolean();
        Reply reply = run(new Command.DeleteObject(
                bucket,
                key,
                named ? Versioning.NULL_VERSION : version,
                Condition.NONE,
                bypass ? Command.DeleteMode.BYPASS_GOVERNANCE : Command.DeleteMode.STRICT));
        Retention retention = made.lock().retention();
        boolean kept = retention.untilMillis() > rig.machine.agreedMillis()
                && !(bypass && retention.mode() == Retention.Mode.GOVERNANCE);
        if (made.lock().legalHold() || kept) {
            MetadataFixture.assertFailed(reply, MetadataError.OBJECT_LOCKED);
        } else {
            assertThat(reply).isEqualTo(new Reply.Deleted(version, made.inode() == 0, made.isNull()));
            versions.remove(version);
        }
    }

    private void hide(String bucket, String key, long markerVersion) {
        NavigableMap<Long, Made> versions = versions(bucket, key);
        Versioning state = Optional.ofNullable(versioning.get(bucket)).orElseThrow();
        if (state != Versioning.KEEP_ALL) {
            versions.values().removeIf(Made::isNull);
        }
        if (state != Versioning.LATEST_ONLY) {
            versions.put(markerVersion, new Made(0, state == Versioning.SUSPENDED, "", ObjectLock.NONE));
        }
    }

    /** Only one of the buckets changes its versioning, and never back to the first state. */
    private void update() {
        String bucket = anyBucket();
        Versioning next = Versioning.values()[random.nextInt(3)];
        Reply reply = run(new Command.UpdateBucket(bucket, BucketChange.NONE.withVersioning(next)));
        boolean refused = (bucket.equals("vault") && next != Versioning.KEEP_ALL)
                || (next == Versioning.LATEST_ONLY && versioning.get(bucket) != Versioning.LATEST_ONLY);
        if (refused) {
            MetadataFixture.assertFailed(reply, MetadataError.BAD_BUCKET_STATE);
        } else {
            assertThat(reply).isEqualTo(new Reply.Done());
            versioning.put(bucket, next);
        }
    }

    private void setRetention() {
        String key = anyKey();
        Optional<Made> shown = shown("vault", key);
        Retention next = random.nextInt(4) == 0 ? Retention.NONE : anyRetention();
        boolean bypass = random.nextInt(4) == 0;
        Reply reply = run(new Command.SetRetention("vault", key, 0, next, bypass));
        if (shown.isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
            return;
        }
        Made made = shown.get();
        Retention old = made.lock().retention();
        boolean over = old.untilMillis() <= rig.machine.agreedMillis();
        boolean prolongs = old.mode() == next.mode() && next.untilMillis() >= old.untilMillis();
        if (over || prolongs || (bypass && old.mode() == Retention.Mode.GOVERNANCE)) {
            relock(key, made, new ObjectLock(next, made.lock().legalHold()));
            assertThat(((Reply.ObjectStored) reply).version()).isEqualTo(latest("vault", key));
        } else {
            MetadataFixture.assertFailed(reply, MetadataError.OBJECT_LOCKED);
        }
    }

    private void setLegalHold() {
        String key = anyKey();
        Optional<Made> shown = shown("vault", key);
        boolean held = random.nextInt(3) == 0;
        Reply reply = run(new Command.SetLegalHold("vault", key, 0, held));
        if (shown.isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
        } else {
            Made made = shown.get();
            relock(key, made, new ObjectLock(made.lock().retention(), held));
        }
    }

    private void relock(String key, Made made, ObjectLock lock) {
        versions("vault", key).put(latest("vault", key), made.withLock(lock));
    }

    private void rename() {
        String from = anyBucket();
        String key = anyKey();
        String to = anyBucket();
        String toKey = anyKey();
        Reply reply = run(new Command.RenameObject(from, key, to, toKey, Condition.NONE));
        if (shown(from, key).isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
        } else if (from.equals(to) && key.equals(toKey)) {
            MetadataFixture.assertFailed(reply, MetadataError.BAD_ARGUMENT);
        } else {
            Reply.ObjectStored stored = (Reply.ObjectStored) reply;
            Made made = shown(from, key).orElseThrow();
            assertThat(made.inode()).isEqualTo(stored.inode());
            link(to, toKey, stored, made.etag(), ObjectLock.NONE);
            hide(from, key, stored.version() + 1);
        }
    }

    private void copy() {
        String from = anyBucket();
        String key = anyKey();
        String to = anyBucket();
        String toKey = anyKey();
        List<Long> numbers = new ArrayList<>(versions(from, key).keySet());
        long version = numbers.isEmpty() || random.nextBoolean() ? 0 : numbers.get(random.nextInt(numbers.size()));
        Optional<Made> source = version == 0
                ? shown(from, key)
                : Optional.ofNullable(versions(from, key).get(version));
        Optional<ObjectAttributes> replaced =
                random.nextBoolean() ? Optional.of(attributes(anyEtag())) : Optional.empty();
        Reply reply = run(
                new Command.CopyObject(from, key, version, to, toKey, Condition.IF_ABSENT, replaced, ObjectLock.NONE));
        if (shown(from, key).isEmpty() && version == 0) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
        } else if (source.filter(made -> made.inode() != 0).isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.IS_DELETE_MARKER);
        } else if (shown(to, toKey).isPresent()) {
            MetadataFixture.assertFailed(reply, MetadataError.CONDITION_FAILED);
        } else {
            String etag = replaced.map(attributes -> attributes.properties().getOrDefault("etag", ""))
                    .orElse(source.get().etag());
            link(to, toKey, (Reply.ObjectStored) reply, etag, ObjectLock.NONE);
        }
    }

    private void abandon() {
        BlockRange range = anyRange(1 + random.nextInt(4));
        Reply reply = run(new Command.AbandonRanges(List.of(range), List.of()));
        if (free(range)) {
            assertThat(reply).isEqualTo(new Reply.Done());
            counters(range).forEach(writer.used::add);
        } else {
            MetadataFixture.assertFailed(reply, MetadataError.RANGE_USED);
        }
    }

    private void register() {
        BlockRange range = anyRange(1 + random.nextInt(6));
        Reply reply = run(new Command.RegisterPending(List.of(range)));
        if (free(range)) {
            writer.pending.put(((Reply.PendingRegistered) reply).pending(), range);
            counters(range).forEach(writer.used::add);
        } else {
            MetadataFixture.assertFailed(reply, MetadataError.RANGE_USED);
        }
    }

    private NavigableMap<Long, Made> versions(String bucket, String key) {
        return names.getOrDefault(bucket, new TreeMap<>()).computeIfAbsent(key, _ -> new TreeMap<>());
    }

    private Optional<Made> shown(String bucket, String key) {
        return Optional.ofNullable(versions(bucket, key).lastEntry())
                .map(Map.Entry::getValue)
                .filter(made -> made.inode() != 0);
    }

    private long latest(String bucket, String key) {
        NavigableMap<Long, Made> versions = versions(bucket, key);
        return versions.isEmpty() ? 0 : versions.lastKey();
    }

    private boolean holds(Condition condition, String bucket, String key) {
        return switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> shown(bucket, key).isEmpty();
            case IF_VERSION -> latest(bucket, key) == condition.version();
            case IF_PRESENT -> shown(bucket, key).isPresent();
            case IF_PROPERTY ->
                shown(bucket, key)
                        .filter(made -> made.etag().equals(condition.value()))
                        .isPresent();
        };
    }

    private void compare() {
        assertThat(replica.digest()).isEqualTo(rig.machine.digest());
        assertThat(restored == replica || restored.digest().equals(rig.machine.digest()))
                .isTrue();
        MetadataStateMachine fresh = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(fresh.snapshot()).isEqualTo(rig.machine.snapshot());
        Bytes allChanges = new Query.SessionChanges(0, Query.PAGE_MAX).encoded();
        assertThat(fresh.query(PrincipalId.node(0), allChanges))
                .isEqualTo(rig.machine.query(PrincipalId.node(0), allChanges));
        for (String bucket : BUCKETS) {
            List<String> expected = new ArrayList<>();
            names.getOrDefault(bucket, new TreeMap<>())
                    .forEach((key, versions) -> versions.descendingMap()
                            .forEach((version, made) -> expected.add(key + " " + version + " " + made)));
            Reply.VersionList list = (Reply.VersionList)
                    rig.ask(MetadataFixture.ALICE, new Query.ListVersions(bucket, "", "", "", 0, 1000, true));
            assertThat(list.versions())
                    .extracting(entry -> entry.key() + " " + entry.version() + " " + made(entry))
                    .containsExactlyElementsOf(expected);
            names.getOrDefault(bucket, new TreeMap<>()).keySet().forEach(key -> compareNull(bucket, key));
        }
        Set<BlockId> referenced = referenced();
        linkedInodes()
                .forEach(inode -> assertThat(referenced)
                        .containsAll(blocks(layoutOf(inode).ranges())));
        everReferenced.addAll(referenced);
        node.catchUp(rig.machine, 1 + random.nextInt(5));
        assertThat(dead).allMatch(node::dead);
        everReferenced.stream().filter(node::dead).forEach(dead::add);
        assertThat(referenced).noneMatch(node::dead);
    }

    private static Made made(Reply.VersionEntry entry) {
        VersionState state = entry.state();
        String etag = state.attributes().properties().getOrDefault("etag", "");
        return new Made(entry.inode(), state.isNull(), etag, state.lock());
    }

    /** At most one version of a name is the null version, and it is found by that. */
    private void compareNull(String bucket, String key) {
        List<Map.Entry<Long, Made>> nulls = versions(bucket, key).entrySet().stream()
                .filter(entry -> entry.getValue().isNull())
                .toList();
        assertThat(nulls).hasSizeLessThanOrEqualTo(1);
        Reply reply = rig.ask(MetadataFixture.ALICE, new Query.FindObject(bucket, key, Versioning.NULL_VERSION));
        if (nulls.isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_VERSION);
        } else if (nulls.getFirst().getValue().inode() == 0) {
            MetadataFixture.assertFailed(reply, MetadataError.IS_DELETE_MARKER);
        } else {
            assertThat(((Reply.ObjectFound) reply).version())
                    .isEqualTo(nulls.getFirst().getKey());
        }
    }

    /** In the end every block that nothing names is known to be dead, and nothing is charged that is not there. */
    private void drain() {
        run(new Command.CloseSession());
        writer = open();
        for (int i = 0; i < 10; i++) {
            rig.nowMillis += 10_000;
            run(new Command.RenewSession());
        }
        compare();
        Set<BlockId> referenced = referenced();
        Set<BlockId> expected = new HashSet<>();
        linkedInodes().forEach(inode -> expected.addAll(blocks(layoutOf(inode).ranges())));
        assertThat(referenced).isEqualTo(expected);
        assertThat(everReferenced).allMatch(block -> node.dead(block) != referenced.contains(block));
        Reply.Status status = (Reply.Status) rig.ask(MetadataFixture.ALICE, new Query.GetStatus());
        assertThat(status.bytes())
                .isEqualTo(linkedInodes().stream()
                        .mapToLong(inode -> layoutOf(inode).length())
                        .sum());
        assertThat(status.inodes()).isEqualTo(linkedInodes().size());
    }

    private ObjectLayout layoutOf(long inode) {
        return Optional.ofNullable(inodes.get(inode)).orElseThrow();
    }

    private Set<Long> linkedInodes() {
        Set<Long> linked = new HashSet<>();
        names.values()
                .forEach(keys ->
                        keys.values().forEach(versions -> versions.values().forEach(made -> linked.add(made.inode()))));
        linked.remove(0L);
        return linked;
    }

    private Set<BlockId> referenced() {
        Set<BlockId> referenced = new HashSet<>();
        Reply.References page = new Reply.References(List.of(), 0, true, 0);
        while (page.more()) {
            Query query = new Query.References(rig.volume, page.next(), 7);
            page = (Reply.References) rig.ask(PrincipalId.node(2), query);
            page.references().forEach(reference -> {
                referenced.addAll(blocks(reference.pendingRanges()));
                reference.layout().ifPresent(layout -> referenced.addAll(blocks(layout.ranges())));
            });
        }
        return referenced;
    }

    private static List<BlockId> blocks(List<BlockRange> ranges) {
        return ranges.stream()
                .flatMap(range -> LongStream.range(0, range.count()).mapToObj(range::at))
                .toList();
    }
}
