package io.bulwark.simulation.history;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Records reads and writes of FP registers. A value's id is its pin, the hash of fpcc. This relates the versions that a
 * faulty client prepared at correct nodes to the values read. A read may return a second content for a pin (against
 * lemma 4.2.6), or another content for a correct writer's pin. Its id then names the content too, and nobody has
 * written such a value.
 */
public final class RegisterRecorder {
    private static final int ID_CHARACTERS = 16;

    private record Prepared(BlockId block, Version version) {}

    private final HistoryRecorder recorder = new HistoryRecorder();
    private final Map<String, Bytes> contents = new HashMap<>();
    private final Map<Prepared, Integer> faulty = new LinkedHashMap<>();
    /** The ids of the values that correct clients write, by the pins that they have in each generation of groups. */
    private final Map<Bytes, String> ids = new HashMap<>();

    private final Map<Bytes, String> valueIds = new HashMap<>();

    private final Set<Prepared> written = new HashSet<>();
    private int reads;

    /** A correct client's write; the data must differ from all that was written to the block before. */
    public ClientOperation<FpWriteOutcome> write(
            PrincipalId client, FpGroup group, Bytes data, ClientOperation<FpWriteOutcome> operation) {
        return write(client, () -> group, data, operation);
    }

    /**
     * A correct client's write, which may go on in other groups.
     *
     * @param last supplies the group in which it was begun last
     */
    public ClientOperation<FpWriteOutcome> write(
            PrincipalId client, Supplier<FpGroup> last, Bytes data, ClientOperation<FpWriteOutcome> operation) {
        writes(last.get(), data);
        String id = valueIds.getOrDefault(data, "");
        String key = key(last.get().block());
        return new RecordedOperation<>(
                operation,
                now -> recorder.invoke(client.toString(), Action.WRITE, key, id, now),
                (pending, now, outcome) -> {
                    switch (outcome) {
                        case FpWriteOutcome.Written done -> {
                            written.add(new Prepared(
                                    last.get().block(), done.timestamp().version()));
                            pending.ok(now);
                        }
                        case FpWriteOutcome.Failed failed ->
                            pending.ended(now, failed.mayBeWritten() ? Outcome.UNKNOWN : Outcome.FAILED);
                        case FpWriteOutcome.EpochOver _ -> pending.ended(now, Outcome.UNKNOWN);
                    }
                });
    }

    /** A correct client writes this in the groups of a generation: first in those in which its write begins. */
    public void writes(FpGroup group, Bytes data) {
        Bytes pin = pin(group, data);
        String id = valueIds.computeIfAbsent(data, _ -> id(pin));
        ids.put(pin, id);
        contents.put(id, data);
    }

    private static String key(BlockId block) {
        return BlockId.register(block.volume(), block.number()).toString();
    }

    /** A correct client's read. */
    public ClientOperation<FpReadOutcome> read(
            PrincipalId client, BlockId block, ClientOperation<FpReadOutcome> operation) {
        return new RecordedOperation<>(
                operation,
                now -> recorder.invoke(client.toString(), Action.READ, key(block), null, now),
                (pending, now, outcome) -> {
                    switch (outcome) {
                        case FpReadOutcome.Value value -> {
                            reads++;
                            pending.ok(now, id(value.timestamp(), value.block()), 0);
                        }
                        case FpReadOutcome.NeverWritten _ -> {
                            reads++;
                            pending.ok(now);
                        }
                        case FpReadOutcome.Failed _ -> pending.ended(now, Outcome.FAILED);
                    }
                });
    }

    /** A correct node has prepared this for a faulty client; may be told many times. */
    public void prepared(PrincipalId client, BlockId block, Version version, long nowMillis) {
        // One insertion for each timestamp and fpcc, whoever prepared it.
        faulty.computeIfAbsent(
                new Prepared(block, version),
                _ -> recorder.faulty(client.toString(), Action.WRITE, key(block), id(version.pin()), 0, nowMillis));
    }

    public int completedReads() {
        return reads;
    }

    /** Returns the history without preparations of faulty clients at the timestamp of a correct client's equal write: that is one write. */
    public History history() {
        Set<Integer> same = new HashSet<>();
        faulty.forEach((prepared, number) -> {
            if (written.contains(prepared)) {
                same.add(number);
            }
        });
        List<Operation> all = recorder.history().operations();
        return new History(IntStream.range(0, all.size())
                .filter(number -> !same.contains(number))
                .mapToObj(all::get)
                .toList());
    }

    public HistoryCheck check() {
        return HistoryCheck.of(history());
    }

    private String id(Timestamp timestamp, Bytes content) {
        String id = id(timestamp.version().pin());
        Bytes known = contents.putIfAbsent(id, content);
        return known == null || known.equals(content)
                ? id
                : id + "!" + Hashes.sha256(content).toHex().substring(0, ID_CHARACTERS);
    }

    private String id(Bytes pin) {
        return ids.getOrDefault(pin, pin.toHex().substring(0, ID_CHARACTERS));
    }

    private static Bytes pin(FpGroup group, Bytes data) {
        int m = group.policy().m();
        byte[] padded = new byte[m * group.policy().fragmentBytes(data.length())];
        data.copyTo(0, padded, 0, data.length());
        return group.code().encode(Bytes.of(padded)).fpcc().pin();
    }
}
