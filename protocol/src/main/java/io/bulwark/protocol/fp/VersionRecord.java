package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Meta data of one stored version of a register block. The nonce hash is not kept: the nonce can be derived again at
 * any time, as the node's own key is never rotated.
 *
 * @param taken the epoch in which this node took the slot for which it keeps it
 * @param hasFragment whether a fragment was stored with it
 * @param cc as in {@link HeldVersion}
 * @param writer the account charged while the version is only staged, or {@link PrepareTag#REPAIR}
 * @param session the writer's session
 * @param proven whether this node's own READ has proven it, though it stays on its writer's account: its block is
 *     crowded
 * @param nonces those of the COMMIT; empty while the version is only staged
 * @param joined the other parties with this node's MACs for it: other clients, or the writer in another session
 * @param shared whether there are more parties than are named
 */
record VersionRecord(
        Timestamp version,
        long taken,
        boolean hasFragment,
        @Nullable List<Bytes> cc,
        PrincipalId writer,
        long session,
        boolean proven,
        List<HeldVersion.SlotNonce> nonces,
        List<Party> joined,
        boolean shared) {
    /** A client in one of its sessions. */
    record Party(PrincipalId client, long session) {}

    static final int JOINED_MAX = 8;
    private static final int FORMAT = 1;
    private static final int FRAGMENT = 1;
    private static final int CC = 2;
    private static final int SHARED = 4;
    private static final int PROVEN = 8;

    VersionRecord {
        cc = cc == null ? null : List.copyOf(cc);
        nonces = List.copyOf(nonces);
        joined = List.copyOf(joined);
    }

    VersionRecord(
            Timestamp version,
            long taken,
            boolean hasFragment,
            @Nullable List<Bytes> cc,
            PrincipalId writer,
            long session,
            List<HeldVersion.SlotNonce> nonces) {
        this(version, taken, hasFragment, cc, writer, session, false, nonces, List.of(), false);
    }

    boolean committed() {
        return !nonces.isEmpty();
    }

    /** Returns whether it stands in the index under this client, or under {@link PrepareTag#REPAIR}. */
    boolean isChargedTo(PrincipalId client) {
        return !committed() && writer.equals(client);
    }

    /** Returns whether this node gives its repair MACs for it, so that no closing of a session may remove it. */
    boolean isVouchedFor() {
        return committed() || proven || writer.equals(PrepareTag.REPAIR);
    }

    /**
     * Returns whether this node has proven it to others and no COMMIT of it is known. Where it is overwritten, somebody
     * may report it again until m + f slots have a later version ({@link Revocations}).
     */
    boolean isLurking() {
        return isVouchedFor() && !committed();
    }

    /**
     * Returns the clients that have this node's MACs for it, as far as they are named: the writer and those who have
     * joined.
     */
    List<Party> parties() {
        return Stream.concat(Stream.of(new Party(writer, session)), joined.stream())
                .toList();
    }

    /** Returns whether a client that does not match is known to have this node's MACs for it. */
    boolean isAlsoOf(Predicate<PrincipalId> such) {
        return parties().stream()
                .map(Party::client)
                .anyMatch(client -> !client.equals(PrepareTag.REPAIR) && !such.test(client));
    }

    VersionRecord with(Party more) {
        if (joined.size() == JOINED_MAX) {
            return new VersionRecord(version, taken, hasFragment, cc, writer, session, proven, nonces, joined, true);
        }
        List<Party> all = new ArrayList<>(joined);
        all.add(more);
        return new VersionRecord(version, taken, hasFragment, cc, writer, session, proven, nonces, all, shared);
    }

    VersionRecord withNonces(List<HeldVersion.SlotNonce> committed) {
        return new VersionRecord(version, taken, hasFragment, cc, writer, session, proven, committed, joined, shared);
    }

    VersionRecord withFragment(@Nullable List<Bytes> fragmentCc) {
        return new VersionRecord(version, taken, true, fragmentCc, writer, session, proven, nonces, joined, shared);
    }

    /** This node's own READ has proven it: it is on no client's account any more, but whose it is stays known. */
    VersionRecord repaired() {
        VersionRecord known = writer.equals(PrepareTag.REPAIR) ? this : with(new Party(writer, session));
        return new VersionRecord(
                version, taken, hasFragment, cc, PrepareTag.REPAIR, 0, false, nonces, known.joined, known.shared);
    }

    /** This node's own READ has proven it, and there is no room for it but its writer's. */
    VersionRecord provenForItsWriter() {
        return new VersionRecord(version, taken, hasFragment, cc, writer, session, true, nonces, joined, shared);
    }

    RecordKey key(BlockId block) {
        return new RecordKey(
                RecordKind.REGISTER_VERSION, block, version.version().encoded());
    }

    Bytes encoded() {
        WireWriter out = new WireWriter(512).u8(FORMAT);
        List<Bytes> hashes = cc;
        out.u8((hasFragment ? FRAGMENT : 0)
                | (hashes == null ? 0 : CC)
                | (shared ? SHARED : 0)
                | (proven ? PROVEN : 0));
        version.write(out);
        writer.write(out);
        out.i64(session);
        FpCodec.nonces(nonces, out);
        out.i64(taken);
        if (hashes != null) {
            FpCodec.hashes(hashes, out);
        }
        out.u8(joined.size());
        for (Party party : joined) {
            party.client().write(out);
            out.i64(party.session());
        }
        return out.toBytes();
    }

    static VersionRecord decode(Bytes encoded) {
        WireReader in = new WireReader(encoded);
        int format = in.u8();
        int flags = in.u8();
        if (format != FORMAT || flags > (FRAGMENT | CC | SHARED | PROVEN)) {
            throw new MalformedException("version record of format " + format + ", flags " + flags);
        }
        Timestamp version = Timestamp.readWritten(in);
        PrincipalId writer = PrincipalId.read(in);
        long session = in.nonNegative64();
        List<HeldVersion.SlotNonce> nonces = FpCodec.readNonces(in);
        long taken = in.nonNegative64();
        if (taken < 1) {
            throw new MalformedException("a slot taken in epoch " + taken);
        }
        List<Bytes> cc = (flags & CC) == 0 ? null : FpCodec.readHashes(in);
        List<Party> joined = readParties(in);
        in.end();
        boolean proven = (flags & PROVEN) != 0;
        boolean shared = (flags & SHARED) != 0;
        return new VersionRecord(
                version, taken, (flags & FRAGMENT) != 0, cc, writer, session, proven, nonces, joined, shared);
    }

    private static List<Party> readParties(WireReader in) {
        int count = in.u8();
        if (count > JOINED_MAX) {
            throw new MalformedException(count + " parties");
        }
        List<Party> parties = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            parties.add(new Party(PrincipalId.read(in), in.nonNegative64()));
        }
        return parties;
    }
}
