package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** One node of four with a disk in memory, whose stores a test may keep back and let go one by one. */
@NullMarked
final class LocalNode {
    static final int VOLUME = 1;
    static final PrincipalId OWNER = PrincipalId.client(1);
    static final ProtectionPolicy POLICY = new ProtectionPolicy(1, 2, 4, 4096);

    private record OnDisk(Bytes meta, Bytes fragment) {}

    final List<ExtentMessage.Answer> answers = new ArrayList<>();
    final List<Effect.Store> held = new ArrayList<>();
    /** Reads from its peers that the node wants to run. */
    final List<Effect.Run> runs = new ArrayList<>();

    final List<Effect.Evidence> evidence = new ArrayList<>();
    /** Promises of the node to refuse requests of placement groups. */
    final List<Effect.Refuses> promises = new ArrayList<>();

    boolean holdStores;
    Stored nextStore = Stored.DURABLE;
    boolean mayRead = true;
    ExtentLimits limits = ExtentLimits.standard();
    SessionState session = SessionState.OPEN;
    long now = 1_000;
    private final TreeMap<Bytes, OnDisk> disk = new TreeMap<>();
    private final Set<BlockId> damaged = new HashSet<>();
    /** Answer of the replicas about the volume. */
    Volume volume = volume(1, List.of(0, 1, 2, 3));

    private ExtentServer server = new ExtentServer(0, limits);

    static Volume volume(long epoch, List<Integer> holders) {
        return volume(new PlacementGroup(epoch, holders));
    }

    static Volume volume(PlacementGroup group) {
        return new Volume(VOLUME, "v", VolumeKind.OBJECT, POLICY, 0, List.of(group));
    }

    static BlockId block(long counter) {
        return new BlockId(VOLUME, OWNER, 1, counter);
    }

    /** Forgets what is not on the disk. */
    void restart() {
        held.clear();
        runs.clear();
        holdStores = false;
        server = new ExtentServer(0, limits);
    }

    long unreferencedBytes() {
        return server.unreferencedBytes(OWNER);
    }

    List<ExtentMessage.Answer> ask(PrincipalId from, ExtentMessage.Request request) {
        answers.clear();
        perform(server.onMessage(now, from, 1, request));
        return List.copyOf(answers);
    }

    void tell(Fact fact) {
        perform(server.onFact(now, fact));
    }

    void use(Volume later) {
        volume = later;
        tell(new Fact.OfVolume(VOLUME, Optional.of(later)));
    }

    void pass(long millis) {
        for (long end = now + millis; now < end; ) {
            now += 50;
            perform(server.onTick(now));
        }
    }

    /** Completes an operation that the node has started, with any outcome. */
    void complete(Effect.Run run, Object outcome) {
        perform(server.onCompleted(now, run.token(), outcome));
    }

    /** Makes the meta data of an extent unreadable. */
    void lose(BlockId block) {
        disk.computeIfPresent(
                RecordKey.of(RecordKind.EXTENT, block).encoded(),
                (_, old) -> new OnDisk(Bytes.of(new byte[3]), old.fragment()));
    }

    /** Makes what is remembered of the session unreadable. */
    void loseSession() {
        Bytes nonsense = Bytes.of((byte) 99);
        disk.put(SessionRecord.key(VOLUME, OWNER, 1).encoded(), new OnDisk(nonsense, Bytes.EMPTY));
    }

    /** Lets one of the held stores become durable. */
    void release(int index) {
        done(held.remove(index));
    }

    boolean has(BlockId block) {
        return disk.containsKey(RecordKey.of(RecordKind.EXTENT, block).encoded());
    }

    /** The store finds that the checksum of a fragment is wrong. */
    void damage(BlockId block) {
        damaged.add(block);
    }

    /** Changes a fragment, and the store's checksum with it. */
    void corrupt(BlockId block) {
        disk.computeIfPresent(RecordKey.of(RecordKind.EXTENT, block).encoded(), (_, old) -> {
            byte[] fragment = old.fragment().toByteArray();
            fragment[0] ^= 1;
            return new OnDisk(old.meta(), Bytes.of(fragment));
        });
    }

    private void done(Effect.Store store) {
        Stored stored = nextStore;
        if (stored == Stored.DURABLE) {
            store.mutations().forEach(this::apply);
        }
        perform(server.onStored(now, store.token(), stored));
    }

    private void apply(Mutation mutation) {
        Bytes key = mutation.key().encoded();
        switch (mutation) {
            case Mutation.Put put -> disk.put(key, new OnDisk(put.meta(), put.fragment()));
            case Mutation.UpdateMeta update ->
                disk.computeIfPresent(key, (_, old) -> new OnDisk(update.meta(), old.fragment()));
            case Mutation.Delete _ -> disk.remove(key);
        }
    }

    private void perform(List<Effect> effects) {
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send send -> answers.add((ExtentMessage.Answer) send.message());
                case Effect.Store store -> {
                    if (holdStores) {
                        held.add(store);
                    } else {
                        done(store);
                    }
                }
                case Effect.Load load -> loaded(load.token(), found(load.key()));
                case Effect.LoadMetas load ->
                    loaded(load.token(), scan(load.kind(), load.block(), load.block(), Integer.MAX_VALUE));
                case Effect.Scan scan -> loaded(scan.token(), scan(scan.kind(), scan.from(), scan.to(), scan.max()));
                case Effect.Ask ask -> tell(answer(ask.question()));
                case Effect.Run run -> runs.add(run);
                case Effect.Evidence seen -> evidence.add(seen);
                case Effect.Refuses promise -> promises.add(promise);
            }
        }
    }

    private void loaded(long token, Loaded loaded) {
        perform(server.onLoaded(now, token, loaded));
    }

    private Loaded found(RecordKey key) {
        @Nullable OnDisk record = disk.get(key.encoded());
        if (record == null) {
            return new Loaded.Missing(key);
        }
        return damaged.contains(key.block())
                ? new Loaded.Damaged(key, record.meta())
                : new Loaded.Found(key, record.meta(), record.fragment());
    }

    private Loaded.Metas scan(RecordKind kind, BlockId from, BlockId to, int max) {
        List<Loaded.Meta> metas = new ArrayList<>();
        for (Map.Entry<Bytes, OnDisk> entry : disk.entrySet()) {
            RecordKey key = RecordKey.decode(entry.getKey());
            boolean inside = key.block().compareTo(from) >= 0 && key.block().compareTo(to) <= 0;
            if (key.kind() == kind && inside && metas.size() < max) {
                metas.add(new Loaded.Meta(key, entry.getValue().meta()));
            }
        }
        return new Loaded.Metas(kind, metas);
    }

    private Fact answer(Question question) {
        return switch (question) {
            case Question.OfVolume of -> new Fact.OfVolume(of.volume(), Optional.of(volume));
            case Question.OfGrant of -> new Fact.OfGrant(of.volume(), of.principal(), mayRead, mayRead);
            case Question.OfSession of -> new Fact.OfSession(of.volume(), of.owner(), of.session(), session);
        };
    }
}
