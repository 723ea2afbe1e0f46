package io.bulwark.simulation.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.driver.Application;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.state.StateTree;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Registers, and which operations were executed, in pages; its checkpoints become durable when the world says so. */
final class RegisterState implements Application {
    /** Effects on the world, and events that it observes. */
    interface Host {
        void taken(StateTree.Checkpoint checkpoint);

        void executed(PrincipalId client, Bytes operation, boolean again);
    }

    static final Bytes DONE = Bytes.of((byte) 1);
    private static final Bytes REFUSED = Bytes.of((byte) 0);

    /** Makes a reply so long that one replica sends it, and the others its digest. */
    private static final Bytes LONG = Bytes.of(new byte[OrderingMessage.SHORT_BYTES_MAX]);

    private static final Bytes ENGINE_KEY = Bytes.of((byte) 0);
    private static final int REGISTERS = 1;
    private static final int OPERATIONS = 2;
    private static final int MEMBERS = 3;

    /** Client that may change the replicas. */
    static final PrincipalId OPERATOR = PrincipalId.client(1_000);

    private static final Bytes NOW = Bytes.of((byte) MEMBERS, (byte) 0);
    private static final Bytes NEXT = Bytes.of((byte) MEMBERS, (byte) 1);
    private static final long CACHE_BYTES_MAX = 1 << 16;
    private static final int RECORD_BYTES = 700;
    private static final int LONG_RECORD_BYTES = 5_000;

    private final Host host;
    private final PageStore store;
    private final NavigableMap<Long, Bytes> durable = new TreeMap<>();
    private final @Nullable Configuration genesis;
    private StateTree tree;

    /**
     * @param store the pages on the disk
     * @param genesis the first replicas; null if the stored ones stay
     */
    RegisterState(Host host, PageStore store, @Nullable Configuration genesis) {
        this.host = host;
        this.store = store;
        this.genesis = genesis;
        store.write(StateFetch.abandoned(store));
        tree = StateTree.open(store, CACHE_BYTES_MAX);
        if (tree.checkpoints().isEmpty()) {
            store.write(tree.checkpoint(0).batch());
            tree.stored(0);
        }
        durable.putAll(tree.checkpoints());
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes operation, long agreedMillis) {
        RegisterOperation asked = RegisterOperation.decode(operation).orElse(null);
        if (asked == null) {
            return client.equals(OPERATOR) ? replace(operation) : REFUSED;
        }
        tree.begin();
        try {
            WireWriter call = new WireWriter().u8(OPERATIONS);
            client.write(call);
            Bytes key = call.i64(asked.number()).toBytes();
            boolean again = tree.get(key).isPresent();
            if (!again) {
                tree.put(key, record(asked.number()));
                tree.put(register(asked.key()), number(asked.value()));
            }
            host.executed(client, operation, again);
            return DONE;
        } catch (DamagedPageException e) {
            tree.rollback();
            throw e;
        }
    }

    /**
     * Handles the operator's request for a configuration. Nobody waits for the outcome: some time it is in force, or
     * another one is.
     */
    private Bytes replace(Bytes operation) {
        Configuration next = read(operation);
        host.executed(OPERATOR, operation, true);
        if (next.number() == configuration().number() + 1 && nextMembers().isEmpty()) {
            tree.put(NEXT, operation);
        }
        return DONE;
    }

    static Bytes encode(Configuration configuration) {
        WireWriter out = new WireWriter();
        configuration.write(out);
        return out.toBytes();
    }

    private static Configuration read(Bytes bytes) {
        return Configuration.read(new WireReader(bytes));
    }

    /** Returns the configuration as the state has it. */
    private Configuration configuration() {
        Configuration first = genesis;
        if (first == null) {
            throw new IllegalStateException("the replicas stay");
        }
        return tree.get(NOW).map(RegisterState::read).orElse(first);
    }

    @Override
    public Optional<List<Member>> nextMembers() {
        return genesis == null
                ? Optional.empty()
                : tree.get(NEXT).map(RegisterState::read).map(Configuration::members);
    }

    @Override
    public void onReconfigured(Configuration now) {
        tree.remove(NEXT);
        tree.put(NOW, encode(now));
    }

    private static Bytes register(int key) {
        return new WireWriter(5).u8(REGISTERS).i32(key).toBytes();
    }

    /** Returns a record so long that the state has many pages, some of them with one value. */
    private static Bytes record(long number) {
        byte[] filler = new byte[number % 8 == 0 ? LONG_RECORD_BYTES : RECORD_BYTES];
        new Random(number).nextBytes(filler);
        return Bytes.of(filler);
    }

    private static Bytes number(long value) {
        return new WireWriter(8).i64(value).toBytes();
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        return tree.get(register(RegisterOperation.key(query)))
                .map(value -> new WireWriter().raw(value).raw(LONG).toBytes())
                .orElse(Bytes.EMPTY);
    }

    @Override
    public Bytes checkpoint(long sequence, Bytes engineState) {
        tree.put(ENGINE_KEY, engineState);
        StateTree.Checkpoint taken = tree.checkpoint(sequence);
        host.taken(taken);
        return taken.digest();
    }

    /** This checkpoint is on disk, unless another state has come since it was taken. */
    void onDurable(StateTree.Checkpoint checkpoint) {
        store.write(checkpoint.batch());
        tree.stored(checkpoint.number());
        durable.put(checkpoint.number(), checkpoint.digest());
    }

    /** The store has got another last checkpoint, which is the state from now on. */
    void reopen() {
        tree = StateTree.open(store, CACHE_BYTES_MAX);
        durable.clear();
        durable.putAll(tree.checkpoints());
    }

    @Override
    public void discard(long sequence) {
        for (long older : List.copyOf(tree.checkpoints().headMap(sequence).keySet())) {
            durable.remove(older);
            store.write(tree.discard(older));
        }
    }

    @Override
    public List<Numbered> checkpoints() {
        List<Numbered> numbered = new ArrayList<>();
        durable.forEach((sequence, digest) -> numbered.add(new Numbered(sequence, digest)));
        return numbered;
    }

    @Override
    public Bytes engineState() {
        return tree.get(ENGINE_KEY).orElse(Bytes.EMPTY);
    }

    /** The number of the last checkpoint that was taken here. */
    long last() {
        return tree.checkpoints().lastKey();
    }

    /** Returns the digest of everything that a client could read. */
    Bytes digest() {
        WireWriter out = new WireWriter();
        tree.scan(Bytes.of((byte) REGISTERS), Bytes.of((byte) (MEMBERS + 1)), (key, value) -> {
            out.bytes(key).bytes(value);
            return true;
        });
        return Hashes.sha256(out.toBytes());
    }

    /** A reply as a liar would have it. */
    static Bytes falseReply(Bytes reply, long value) {
        return reply.length() <= Long.BYTES
                ? reply
                : new WireWriter().i64(value).raw(LONG).toBytes();
    }

    /** The value of a query's answer; none if the register was never written. */
    static long value(Bytes reply) {
        return new WireReader(reply).i64();
    }
}
