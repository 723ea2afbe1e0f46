package io.bulwark.simulation.pasis;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisReadOutcome;
import io.bulwark.protocol.pasis.PasisWriteOutcome;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.pasis.VersionName;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.history.Action;
import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryRecorder;
import io.bulwark.simulation.history.Operation;
import io.bulwark.simulation.history.Outcome;
import io.bulwark.simulation.history.RecordedOperation;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Records reads and writes of registers. A value's id is the hash of its cross-checksum. This relates the versions of
 * faulty clients to the values read. If a read returned content that does not match, the id names that content too.
 */
final class PasisRecorder {
    private static final int ID_CHARACTERS = 16;

    private record Version(BlockId block, VersionName name) {}

    private final HistoryRecorder recorder = new HistoryRecorder();
    private final Map<String, Bytes> contents = new HashMap<>();
    /** The ids of the values that correct clients write, by the cross-checksums that they have in each generation of groups. */
    private final Map<Bytes, String> ids = new HashMap<>();

    private final Map<Bytes, String> valueIds = new HashMap<>();
    private final Map<Version, Integer> faulty = new LinkedHashMap<>();
    private final Set<Version> written = new HashSet<>();

    /** A correct client writes this in the groups of a generation: first in those in which its write begins. */
    void writes(Bytes crossChecksum, Bytes data) {
        String id = valueIds.computeIfAbsent(data, _ -> id(crossChecksum));
        ids.put(crossChecksum, id);
        contents.put(id, data);
    }

    /**
     * A correct client's write; the data must differ from all that was written to the block before.
     *
     * @param last the group in which it was begun last
     */
    ClientOperation<PasisWriteOutcome> write(
            PrincipalId client, Supplier<PasisGroup> last, Bytes data, ClientOperation<PasisWriteOutcome> operation) {
        String id = valueIds.getOrDefault(data, "");
        String key = key(last.get().block());
        return new RecordedOperation<>(
                operation,
                now -> recorder.invoke(client.toString(), Action.WRITE, key, id, now),
                (pending, now, outcome) -> {
                    switch (outcome) {
                        case PasisWriteOutcome.Written done -> {
                            written.add(new Version(
                                    last.get().block(), done.timestamp().name()));
                            pending.ok(now);
                        }
                        case PasisWriteOutcome.EpochOver _ -> pending.ended(now, Outcome.UNKNOWN);
                        case PasisWriteOutcome.Failed failed ->
                            pending.ended(now, failed.mayBeWritten() ? Outcome.UNKNOWN : Outcome.FAILED);
                    }
                });
    }

    /** A correct client's read. */
    ClientOperation<PasisReadOutcome> read(
            PrincipalId client, BlockId block, ClientOperation<PasisReadOutcome> operation) {
        return new RecordedOperation<>(
                operation,
                now -> recorder.invoke(client.toString(), Action.READ, key(block), null, now),
                (pending, now, outcome) -> {
                    switch (outcome) {
                        case PasisReadOutcome.Value value ->
                            pending.ok(now, id(value.timestamp().crossChecksum(), value.block()), 0);
                        case PasisReadOutcome.NeverWritten _ -> pending.ok(now);
                        case PasisReadOutcome.Failed _ -> pending.ended(now, Outcome.FAILED);
                    }
                });
    }

    /** A faulty client sends this to a correct node; may be told many times. */
    void sent(PrincipalId client, BlockId block, ValidatingTimestamp version, long nowMillis) {
        // One insertion for each timestamp, whoever accepts it.
        faulty.computeIfAbsent(
                new Version(block, version.name()),
                _ -> recorder.faulty(
                        client.toString(), Action.WRITE, key(block), id(version.crossChecksum()), 0, nowMillis));
    }

    /**
     * Returns the history without writes of faulty clients at the timestamp of a correct client's write: that is one
     * write. The other writes of faulty clients are ordered by timestamp alone, as if they had begun first. Nodes
     * accept a version below a complete one, since they do not know of it. A read that began before that one was
     * complete may return the version.
     */
    History history() {
        Set<Integer> same = new HashSet<>();
        faulty.forEach((version, number) -> {
            if (written.contains(version)) {
                same.add(number);
            }
        });
        List<Operation> all = recorder.history().operations();
        return new History(IntStream.range(0, all.size())
                .filter(number -> !same.contains(number))
                .mapToObj(all::get)
                .map(operation -> operation.correct() ? operation : begunFirst(operation))
                .toList());
    }

    private static Operation begunFirst(Operation write) {
        return new Operation(
                write.client(),
                false,
                write.action(),
                write.key(),
                write.value(),
                write.ifVersion(),
                write.version(),
                0,
                write.completedMicros(),
                write.outcome());
    }

    private String id(Bytes crossChecksum, Bytes content) {
        String id = id(crossChecksum);
        Bytes known = contents.putIfAbsent(id, content);
        return known == null || known.equals(content)
                ? id
                : id + "!" + Hashes.sha256(content).toHex().substring(0, ID_CHARACTERS);
    }

    private String id(Bytes crossChecksum) {
        return ids.getOrDefault(
                crossChecksum, Hashes.sha256(crossChecksum).toHex().substring(0, ID_CHARACTERS));
    }

    private static String key(BlockId block) {
        return BlockId.register(block.volume(), block.number()).toString();
    }
}
