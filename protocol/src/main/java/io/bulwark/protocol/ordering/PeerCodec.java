package io.bulwark.protocol.ordering;

import io.bulwark.protocol.ordering.PeerMessage.AskDigest;
import io.bulwark.protocol.ordering.PeerMessage.AskSnapshots;
import io.bulwark.protocol.ordering.PeerMessage.DigestAt;
import io.bulwark.protocol.ordering.PeerMessage.Engine;
import io.bulwark.protocol.ordering.PeerMessage.FetchLog;
import io.bulwark.protocol.ordering.PeerMessage.FetchSnapshot;
import io.bulwark.protocol.ordering.PeerMessage.LogChunk;
import io.bulwark.protocol.ordering.PeerMessage.PeerStatus;
import io.bulwark.protocol.ordering.PeerMessage.Snapshot;
import io.bulwark.protocol.ordering.PeerMessage.SnapshotChunk;
import io.bulwark.protocol.ordering.PeerMessage.Snapshots;
import io.bulwark.protocol.ordering.PeerMessage.Start;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The part of family 3 that replicas speak among themselves: type numbers 0x0310 to 0x031A. */
final class PeerCodec {
    static final int FIRST = 0x0310;

    private PeerCodec() {}

    static int typeOf(PeerMessage message) {
        return FIRST
                + switch (message) {
                    case PeerStatus ignored -> 0;
                    case Start ignored -> 1;
                    case AskDigest ignored -> 2;
                    case DigestAt ignored -> 3;
                    case FetchLog ignored -> 4;
                    case LogChunk ignored -> 5;
                    case AskSnapshots ignored -> 6;
                    case Snapshots ignored -> 7;
                    case FetchSnapshot ignored -> 8;
                    case SnapshotChunk ignored -> 9;
                    case Engine ignored -> 10;
                };
    }

    static void write(PeerMessage message, WireWriter out) {
        switch (message) {
            case PeerStatus standing -> {
                out.i64(standing.incarnation()).u8(standing.phase().ordinal());
                standing.position().write(out);
            }
            case Start start -> {
                out.i64(start.incarnation());
                start.position().write(out);
            }
            case AskDigest ask -> out.i64(ask.sequence());
            case DigestAt at -> {
                out.i64(at.sequence()).bool(at.digest().isPresent());
                at.digest().ifPresent(out::raw);
            }
            case FetchLog fetch -> out.i64(fetch.after());
            case LogChunk chunk -> {
                out.i64(chunk.after()).i32(chunk.records().size());
                chunk.records().forEach(out::bytes);
            }
            case AskSnapshots ignored -> {}
            case Snapshots snapshots -> {
                out.u8(snapshots.held().size());
                for (Snapshot snapshot : snapshots.held()) {
                    snapshot.position().write(out);
                    out.i64(snapshot.length()).raw(snapshot.hash());
                }
            }
            case FetchSnapshot fetch -> out.i64(fetch.sequence()).i64(fetch.offset());
            case SnapshotChunk chunk ->
                out.i64(chunk.sequence()).i64(chunk.offset()).bytes(chunk.bytes());
            case Engine engine -> out.i64(engine.incarnation()).bytes(engine.message());
        }
    }

    static PeerMessage read(int type, WireReader in) {
        return switch (type - FIRST) {
            case 0 -> new PeerStatus(in.nonNegative64(), Phase.of(in.u8()), Position.read(in));
            case 1 -> new Start(in.nonNegative64(), Position.read(in));
            case 2 -> new AskDigest(in.nonNegative64());
            case 3 -> {
                long sequence = in.nonNegative64();
                yield new DigestAt(
                        sequence, in.bool() ? Optional.of(in.raw(PeerMessage.DIGEST_BYTES)) : Optional.empty());
            }
            case 4 -> new FetchLog(in.nonNegative64());
            case 5 -> new LogChunk(in.nonNegative64(), records(in));
            case 6 -> new AskSnapshots();
            case 7 -> new Snapshots(snapshots(in));
            case 8 -> new FetchSnapshot(in.nonNegative64(), in.nonNegative64());
            case 9 -> new SnapshotChunk(in.nonNegative64(), in.nonNegative64(), in.bytes(PeerMessage.CHUNK_BYTES));
            case 10 -> new Engine(in.nonNegative64(), in.bytes(PeerMessage.ENGINE_BYTES_MAX));
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static List<Bytes> records(WireReader in) {
        int count = in.i32(0, PeerMessage.CHUNK_RECORDS_MAX);
        List<Bytes> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(in.bytes(PeerMessage.RECORD_BYTES_MAX));
        }
        return records;
    }

    private static List<Snapshot> snapshots(WireReader in) {
        int count = in.u8();
        if (count > PeerMessage.SNAPSHOTS_MAX) {
            throw new MalformedException(count + " snapshots");
        }
        List<Snapshot> held = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            held.add(new Snapshot(Position.read(in), in.nonNegative64(), in.raw(PeerMessage.DIGEST_BYTES)));
        }
        return held;
    }
}
