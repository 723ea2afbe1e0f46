package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.Optional;

/**
 * Messages between replicas beside those of their engine: the position of each, the start of an incarnation of the
 * engine, and missing state.
 */
public sealed interface PeerMessage extends Message {
    int DIGEST_BYTES = 32;

    /** The longest record of the applied-command log, in bytes. */
    int RECORD_BYTES_MAX = 8 << 20;

    /** About how much one chunk of log or snapshot carries, in bytes; one long record may exceed it. */
    int CHUNK_BYTES = 2 << 20;

    int CHUNK_RECORDS_MAX = 16_384;

    /** Maximum number of snapshots that a replica reports. */
    int SNAPSHOTS_MAX = 4;

    /** The longest message of an engine, in bytes. */
    int ENGINE_BYTES_MAX = 16 << 20;

    /** Told to all peers every few 100 ms, and at each change of phase. */
    record PeerStatus(long incarnation, Phase phase, Position position) implements PeerMessage {}

    /** From the coordinator of an incarnation: all logs are brought to this position, then the engine starts. */
    record Start(long incarnation, Position position) implements PeerMessage {}

    /** Request for the digest of the history of this length. */
    record AskDigest(long sequence) implements PeerMessage {}

    /** Empty if the history is not so long, or its beginning is no longer known so far back. */
    record DigestAt(long sequence, Optional<Bytes> digest) implements PeerMessage {}

    /** Give me the records after this many. */
    record FetchLog(long after) implements PeerMessage {}

    /** Records of the log, those after {@code after} batches; none if that place is not in the log. */
    record LogChunk(long after, List<Bytes> records) implements PeerMessage {
        public LogChunk {
            records = List.copyOf(records);
        }
    }

    /** Request for the snapshots that the replica has. */
    record AskSnapshots() implements PeerMessage {}

    /** A snapshot: where in the order it was taken, its length in bytes and its SHA-256. */
    record Snapshot(Position position, long length, Bytes hash) {}

    record Snapshots(List<Snapshot> held) implements PeerMessage {
        public Snapshots {
            held = List.copyOf(held);
        }
    }

    /** Give me the bytes of this snapshot from this offset. */
    record FetchSnapshot(long sequence, long offset) implements PeerMessage {}

    /** Bytes of a snapshot; none if it is no longer held. */
    record SnapshotChunk(long sequence, long offset, Bytes bytes) implements PeerMessage {}

    /** A message from engine to engine, of one incarnation. */
    record Engine(long incarnation, Bytes message) implements PeerMessage {}
}
