package io.bulwark.simulation.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.replica.Application;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.SortedMap;
import java.util.TreeMap;

/** Registers, and which operations were executed; its checkpoints become durable when the world says so. */
final class RegisterState implements Application {
    /** A checkpoint as it is kept and sent. */
    record Snapshot(long sequence, Bytes state, Bytes engineState) {
        Bytes digest() {
            return Hashes.sha256(state, engineState);
        }

        Bytes encode() {
            return new WireWriter()
                    .i64(sequence)
                    .bytes(state)
                    .bytes(engineState)
                    .toBytes();
        }

        /** Before the first operation. */
        static Snapshot genesis() {
            return new Snapshot(0, new WireWriter(8).i32(0).i32(0).toBytes(), Bytes.EMPTY);
        }

        static Snapshot decode(Bytes bytes) {
            WireReader in = new WireReader(bytes);
            Snapshot snapshot = new Snapshot(in.nonNegative64(), in.bytes(1 << 24), in.bytes(1 << 16));
            in.end();
            return snapshot;
        }
    }

    /** What the world does and sees. */
    interface Host {
        void taken(Snapshot snapshot);

        void discarded(long below);

        void executed(PrincipalId client, Bytes operation, boolean again);
    }

    static final Bytes DONE = Bytes.of((byte) 1);
    private static final Bytes REFUSED = Bytes.of((byte) 0);

    private record Call(PrincipalId client, long number) implements Comparable<Call> {
        @Override
        public int compareTo(Call other) {
            int byClient = client.compareTo(other.client);
            return byClient != 0 ? byClient : Long.compare(number, other.number);
        }
    }

    private final Host host;
    private final NavigableMap<Long, Snapshot> durable = new TreeMap<>();
    private final SortedMap<Integer, Long> registers = new TreeMap<>();
    private final SortedMap<Call, Long> done = new TreeMap<>();

    /** @param kept what the disk has */
    RegisterState(Host host, List<Snapshot> kept) {
        this.host = host;
        kept.forEach(snapshot -> durable.put(snapshot.sequence(), snapshot));
        load();
    }

    private void load() {
        registers.clear();
        done.clear();
        WireReader in = new WireReader(durable.lastEntry().getValue().state());
        for (int left = in.i32(0, 1 << 20); left > 0; left--) {
            registers.put(in.i32(), in.i64());
        }
        for (int left = in.i32(0, 1 << 20); left > 0; left--) {
            done.put(new Call(PrincipalId.read(in), in.i64()), in.i64());
        }
        in.end();
    }

    private Bytes state() {
        WireWriter out = new WireWriter().i32(registers.size());
        registers.forEach((key, value) -> out.i32(key).i64(value));
        out.i32(done.size());
        done.forEach((call, value) -> {
            call.client().write(out);
            out.i64(call.number()).i64(value);
        });
        return out.toBytes();
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes operation, long agreedMillis) {
        RegisterOperation asked = RegisterOperation.decode(operation).orElse(null);
        if (asked == null) {
            return REFUSED;
        }
        boolean again = done.putIfAbsent(new Call(client, asked.number()), asked.value()) != null;
        host.executed(client, operation, again);
        if (!again) {
            registers.put(asked.key(), asked.value());
        }
        return DONE;
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        Long value = registers.get(RegisterOperation.key(query));
        return value == null ? Bytes.EMPTY : new WireWriter(8).i64(value).toBytes();
    }

    @Override
    public Bytes checkpoint(long sequence, Bytes engineState) {
        Snapshot snapshot = new Snapshot(sequence, state(), engineState);
        host.taken(snapshot);
        return snapshot.digest();
    }

    /** This checkpoint is on disk. */
    void onDurable(Snapshot snapshot) {
        durable.put(snapshot.sequence(), snapshot);
    }

    /** A state that was fetched is on disk, and is the state from now on. */
    void become(Snapshot fetched) {
        durable.tailMap(fetched.sequence(), true).clear();
        durable.put(fetched.sequence(), fetched);
        load();
    }

    @Override
    public void discard(long sequence) {
        durable.headMap(sequence, false).clear();
        host.discarded(sequence);
    }

    @Override
    public List<Numbered> checkpoints() {
        List<Numbered> numbered = new ArrayList<>();
        durable.values().forEach(each -> numbered.add(new Numbered(each.sequence(), each.digest())));
        return numbered;
    }

    @Override
    public Bytes engineState() {
        return durable.lastEntry().getValue().engineState();
    }

    /** Those that can be handed to others. */
    NavigableMap<Long, Snapshot> kept() {
        return durable;
    }

    /** Of all that a client could read. */
    Bytes digest() {
        return Hashes.sha256(state());
    }
}
