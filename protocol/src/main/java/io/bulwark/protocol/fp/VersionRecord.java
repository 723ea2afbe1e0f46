package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The meta data of one stored version of a register block. The nonce hash is not kept: the nonce can be made again at any
 * time, as the node's own key is never rotated.
 *
 * @param hasFragment whether a fragment was stored with it
 * @param cc as in {@link Holding}
 * @param writer who is charged while the version is only staged, or {@link PrepareTag#REPAIR}
 * @param session the writer's session
 * @param nonces those of the COMMIT; empty while the version is only staged
 * @param shared whether somebody else, or the writer in another session, has this node's MACs for it, too
 */
record VersionRecord(
        Timestamp version,
        boolean hasFragment,
        @Nullable List<Bytes> cc,
        PrincipalId writer,
        long session,
        List<Holding.SlotNonce> nonces,
        boolean shared) {
    private static final int FORMAT = 1;
    private static final int FRAGMENT = 1;
    private static final int CC = 2;
    private static final int SHARED = 4;

    VersionRecord {
        cc = cc == null ? null : List.copyOf(cc);
        nonces = List.copyOf(nonces);
    }

    VersionRecord(
            Timestamp version,
            boolean hasFragment,
            @Nullable List<Bytes> cc,
            PrincipalId writer,
            long session,
            List<Holding.SlotNonce> nonces) {
        this(version, hasFragment, cc, writer, session, nonces, false);
    }

    boolean committed() {
        return !nonces.isEmpty();
    }

    /** Whether it counts against its writer's bounds. */
    boolean chargedTo(PrincipalId client) {
        return !committed() && writer.equals(client) && !writer.equals(PrepareTag.REPAIR);
    }

    /** Whether all MACs that this node gave for it are this session's. */
    boolean isOnlyOf(PrincipalId client, long of) {
        return !shared && writer.equals(client) && session == of;
    }

    VersionRecord asShared() {
        return new VersionRecord(version, hasFragment, cc, writer, session, nonces, true);
    }

    VersionRecord withNonces(List<Holding.SlotNonce> committed) {
        return new VersionRecord(version, hasFragment, cc, writer, session, committed, shared);
    }

    VersionRecord withFragment(@Nullable List<Bytes> fragmentCc) {
        return new VersionRecord(version, true, fragmentCc, writer, session, nonces, shared);
    }

    VersionRecord proven() {
        return new VersionRecord(version, hasFragment, cc, PrepareTag.REPAIR, 0, nonces, shared);
    }

    RecordKey key(BlockId block) {
        return new RecordKey(
                RecordKind.REGISTER_VERSION, block, version.version().encoded());
    }

    Bytes encoded() {
        WireWriter out = new WireWriter(512).u8(FORMAT);
        List<Bytes> hashes = cc;
        out.u8((hasFragment ? FRAGMENT : 0) | (hashes == null ? 0 : CC) | (shared ? SHARED : 0));
        version.write(out);
        writer.write(out);
        out.i64(session);
        FpCodec.nonces(nonces, out);
        if (hashes != null) {
            FpCodec.hashes(hashes, out);
        }
        return out.toBytes();
    }

    static VersionRecord decode(Bytes encoded) {
        WireReader in = new WireReader(encoded);
        int format = in.u8();
        int flags = in.u8();
        if (format != FORMAT || flags > (FRAGMENT | CC | SHARED)) {
            throw new MalformedException("version record of format " + format + ", flags " + flags);
        }
        Timestamp version = Timestamp.readWritten(in);
        PrincipalId writer = PrincipalId.read(in);
        long session = in.nonNegative64();
        List<Holding.SlotNonce> nonces = FpCodec.readNonces(in);
        List<Bytes> cc = (flags & CC) == 0 ? null : FpCodec.readHashes(in);
        in.end();
        return new VersionRecord(version, (flags & FRAGMENT) != 0, cc, writer, session, nonces, (flags & SHARED) != 0);
    }
}
