package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
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
    private static final List<String> BUCKETS = List.of("films", "diary");

    private Random random = new Random(SEED);
    private MetadataFixture rig = MetadataFixture.ready();
    private MemoryPageStore store = new MemoryPageStore();
    private StateTree tree = StateTree.empty(store, CACHE_BYTES);
    private long checkpoints;
    private MetadataStateMachine replica = rig.machine;
    private MetadataStateMachine restored = rig.machine;
    private NodeView node = new NodeView();
    private Writer writer = new Writer(0);

    /** By bucket and key: version number to inode, 0 for delete markers. */
    private final Map<String, TreeMap<String, TreeMap<Long, Long>>> names = new TreeMap<>();

    private final Map<Long, ObjectLayout> inodes = new TreeMap<>();
    private final Set<BlockId> everReferenced = new HashSet<>();
    private final Set<BlockId> dead = new HashSet<>();

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
        switch (random.nextInt(12)) {
            case 0, 1, 2, 3 -> put();
            case 4, 5 -> delete();
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
        Condition condition = switch (random.nextInt(4)) {
            case 0 -> Condition.IF_ABSENT;
            case 1 -> Condition.ifVersion(Math.max(1, latest(bucket, key)));
            default -> Condition.NONE;
        };
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
                ObjectAttributes.NONE,
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
        link(bucket, key, stored);
    }

    private ObjectLayout layout(long blocks, BlockRange range) {
        return new ObjectLayout(
                rig.volume,
                MetadataFixture.BLOCK,
                blocks * MetadataFixture.BLOCK,
                blocks == 0 ? List.of() : List.of(range),
                MetadataFixture.filled((int) blocks * ObjectLayout.PIN_BYTES, 1));
    }

    private void link(String bucket, String key, Reply.ObjectStored stored) {
        NavigableMap<Long, Long> versions = versions(bucket, key);
        if (bucket.equals("films")) {
            versions.clear();
        }
        assertThat(versions).doesNotContainKey(stored.version());
        versions.put(stored.version(), stored.inode());
    }

    private void delete() {
        String bucket = anyBucket();
        String key = anyKey();
        NavigableMap<Long, Long> versions = versions(bucket, key);
        if (random.nextInt(3) == 0 && !versions.isEmpty()) {
            long version = new ArrayList<>(versions.keySet()).get(random.nextInt(versions.size()));
            boolean marker = versions.get(version) == 0;
            assertThat(run(new Command.DeleteObject(bucket, key, version)))
                    .isEqualTo(new Reply.Deleted(version, marker, bucket.equals("films")));
            versions.remove(version);
            return;
        }
        Reply reply = run(new Command.DeleteObject(bucket, key, 0));
        if (shown(bucket, key).isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
        } else {
            hide(bucket, key, ((Reply.Deleted) reply).version());
        }
    }

    private void hide(String bucket, String key, long markerVersion) {
        if (bucket.equals("films")) {
            versions(bucket, key).clear();
        } else {
            versions(bucket, key).put(markerVersion, 0L);
        }
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
            assertThat(shown(from, key)).contains(stored.inode());
            link(to, toKey, stored);
            hide(from, key, stored.version() + 1);
        }
    }

    private void copy() {
        String from = anyBucket();
        String key = anyKey();
        String to = anyBucket();
        String toKey = anyKey();
        Reply reply = run(new Command.CopyObject(from, key, 0, to, toKey, Condition.IF_ABSENT));
        if (shown(from, key).isEmpty()) {
            MetadataFixture.assertFailed(reply, MetadataError.NO_SUCH_OBJECT);
        } else if (shown(to, toKey).isPresent()) {
            MetadataFixture.assertFailed(reply, MetadataError.CONDITION_FAILED);
        } else {
            link(to, toKey, (Reply.ObjectStored) reply);
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

    private NavigableMap<Long, Long> versions(String bucket, String key) {
        return names.getOrDefault(bucket, new TreeMap<>()).computeIfAbsent(key, _ -> new TreeMap<>());
    }

    private Optional<Long> shown(String bucket, String key) {
        NavigableMap<Long, Long> versions = versions(bucket, key);
        return versions.isEmpty() || versions.lastEntry().getValue() == 0
                ? Optional.empty()
                : Optional.of(versions.lastEntry().getValue());
    }

    private long latest(String bucket, String key) {
        NavigableMap<Long, Long> versions = versions(bucket, key);
        return versions.isEmpty() ? 0 : versions.lastKey();
    }

    private boolean holds(Condition condition, String bucket, String key) {
        return switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> shown(bucket, key).isEmpty();
            case IF_VERSION -> latest(bucket, key) == condition.version();
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
                            .forEach((version, inode) -> expected.add(key + " " + version + " " + inode)));
            Reply.VersionList list =
                    (Reply.VersionList) rig.ask(MetadataFixture.ALICE, new Query.ListVersions(bucket, "", "", 0, 1000));
            assertThat(list.versions())
                    .extracting(entry -> entry.key() + " " + entry.version() + " " + entry.inode())
                    .containsExactlyElementsOf(expected);
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
        names.values().forEach(keys -> keys.values().forEach(versions -> linked.addAll(versions.values())));
        linked.remove(0L);
        return linked;
    }

    private Set<BlockId> referenced() {
        Set<BlockId> referenced = new HashSet<>();
        Reply.References page = new Reply.References(List.of(), 0, true);
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
