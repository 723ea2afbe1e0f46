package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** s_rpc_prepare_frag, s_rpc_prepare_block and s_prepare_common (thesis lines 1200 to 1405), within their bounds. */
final class FpPrepare {
    /** A ts further than this above what the node has seen committed or proven is FAR. */
    static final long FAR = 1L << 16;

    /** Blocks that are repaired for a client at its limit, to find out which of its versions are done. */
    private static final int REPAIRS_AT_LIMIT = 4;

    private static final Bytes NO_MAC = Bytes.of(new byte[PairwiseKeys.MAC_BYTES]);

    private final FpRegister register;
    private final FpNode node;

    FpPrepare(FpRegister register, FpNode node) {
        this.register = register;
        this.node = node;
    }

    void handle(long nowMillis, AdmittedRequest call, FpMessage.Prepare request) {
        FpAccess.SessionKey session =
                new FpAccess.SessionKey(register.block().volume(), call.from(), request.session());
        if (node.access().isClosing(session)) {
            register.refuse(call, FpRefusal.SESSION_CLOSED);
            return;
        }
        if (!node.access().isOpen(session)) {
            register.refuse(call, FpRefusal.BUSY);
            return;
        }
        Share share = call.accepted();
        if (share == null) {
            share = check(request);
            if (share == null) {
                register.refuse(call, FpRefusal.INCONSISTENT);
                return;
            }
        }
        prepare(nowMillis, call.with(share), request, share);
    }

    /** Lines 1200 to 1204 and 1300 to 1310: the share to stage, or null for what no correct client sends. */
    private @Nullable Share check(FpMessage.Prepare request) {
        FpGroup group = register.group();
        int slot = request.target().slot();
        if (!group.fits(request.fpcc())) {
            return null;
        }
        return switch (request) {
            case FpMessage.PrepareFragment of -> {
                Share share = new Share(of.fragment(), null);
                yield group.code().isShareOf(of.fpcc(), slot, share) ? share : null;
            }
            case FpMessage.PrepareBlock of ->
                group.code()
                        .acceptBlock(of.block(), of.fpcc(), slot)
                        .map(staged -> new Share(staged.fragment(), staged.cc()))
                        .orElse(null);
        };
    }

    /** Lines 1400 to 1405. */
    private void prepare(long nowMillis, AdmittedRequest call, FpMessage.Prepare request, Share share) {
        BlockVersions versions = register.versions();
        Timestamp latest = versions.latest();
        if (request.ts() == 0 && latest.ts() == -1) {
            register.refuse(call, FpRefusal.EXHAUSTED);
            return;
        }
        long ts = request.ts() == 0 ? latest.ts() + 1 : request.ts();
        Timestamp version = new Timestamp(ts, request.fpcc());
        VersionRecord known = versions.get(version);
        if (far(version)) {
            judgeAgain(nowMillis, call, version, true, FpRefusal.FAR);
        } else if (latest.isAfter(version)) {
            answer(call, request, version);
        } else if (known != null) {
            again(call, request, known, share);
        } else {
            stage(nowMillis, call, request, version, share);
        }
    }

    private boolean far(Timestamp version) {
        BlockVersions versions = register.versions();
        Timestamp base = versions.proven().isAfter(versions.latest()) ? versions.proven() : versions.latest();
        return Long.compareUnsigned(version.ts(), base.ts()) > 0
                && Long.compareUnsigned(version.ts() - base.ts(), FAR) > 0;
    }

    /** Runs REPAIR and judges again; refuses if that was done already, or may not be done now. */
    private void judgeAgain(
            long nowMillis, AdmittedRequest call, @Nullable Timestamp wanted, boolean early, FpRefusal refusal) {
        boolean begun = !call.judged()
                && register.repair()
                        .request(nowMillis, call.from(), wanted, early, now -> register.call(now, call.afterRepair()));
        if (!begun) {
            register.refuse(call, refusal);
        }
    }

    /**
     * Handles a PREPARE of a known version. A missing or lost fragment is stored. A further party is recorded before it
     * gets its MACs: a version that rests on the first party's session alone may be dropped with it.
     */
    private void again(AdmittedRequest call, FpMessage.Prepare request, VersionRecord known, Share share) {
        VersionRecord.Party party = new VersionRecord.Party(call.from(), request.session());
        boolean joins =
                !known.isVouchedFor() && !known.shared() && !known.parties().contains(party);
        if (register.versions().holds(known.version()) && !joins) {
            answer(call, request, known.version());
            return;
        }
        VersionRecord next = known.withFragment(share.cc());
        put(call, request, joins ? next.with(party) : next, share, List.of());
    }

    /**
     * Stages a version. Half of the places are for timestamps that writers name. A write without ts, where this node
     * had a later latest than the others, leaves a version at latest.ts + 1 at most. It is dropped when a write on
     * which all agree is committed above.
     */
    private void stage(
            long nowMillis, AdmittedRequest call, FpMessage.Prepare request, Timestamp version, Share share) {
        PrincipalId writer = call.from();
        StagedIndex index = node.index();
        if (!index.ready(writer)) {
            index.load(writer, register.once(now -> register.call(now, call)));
            return;
        }
        FpLimits limits = node.limits();
        int places = request.ts() == 0 ? 1 : 2;
        Staged here = stagedHere(writer);
        if (here.open >= places * limits.stagedPerBlock() || here.left >= limits.leftPerBlock()) {
            askClosures(nowMillis, call, request);
            judgeAgain(nowMillis, call, null, false, FpRefusal.LIMIT);
            return;
        }
        Staged all = staged(writer);
        boolean frees = here.left > 0 && here.open == 0 && all.open + all.left < limits.allPerClient();
        if (all.open >= places * limits.stagedPerClient() || (all.left >= limits.leftPerClient() && !frees)) {
            askClosures(nowMillis, call, request);
            repairAtLimit(nowMillis, call);
            return;
        }
        StagedIndex.Entry entry = register.entry(version);
        long session = request.session();
        index.onAdded(writer, session, entry);
        VersionRecord record =
                new VersionRecord(version, register.taken(), true, share.cc(), writer, session, List.of());
        put(call, request, record, share, List.of(index.put(writer, session, entry)));
    }

    /**
     * Numbers of versions that a client has staged; leftovers of its closed sessions take no room of an open one.
     * Otherwise a client with many failures could not do the very writes that overwrite its leftovers. It closes the
     * session and has room in the next.
     */
    private record Staged(int open, int left) {}

    private Staged stagedHere(PrincipalId writer) {
        int volume = register.block().volume();
        List<Long> sessions = register.versions().sessionsOf(writer);
        long left = sessions.stream()
                .filter(session -> node.access().isClosing(new FpAccess.SessionKey(volume, writer, session)))
                .count();
        return new Staged(sessions.size() - (int) left, (int) left);
    }

    private Staged staged(PrincipalId writer) {
        int open = 0;
        int left = 0;
        for (Map.Entry<FpAccess.SessionKey, Integer> each :
                node.index().countBySession(writer).entrySet()) {
            boolean closed = node.access().isClosing(each.getKey());
            open += closed ? 0 : each.getValue();
            left += closed ? each.getValue() : 0;
        }
        return new Staged(open, left);
    }

    /**
     * Asks which other sessions of the client are closed. Until this node knows, it counts their leftovers as versions
     * of open sessions.
     */
    private void askClosures(long nowMillis, AdmittedRequest call, FpMessage.Prepare request) {
        for (FpAccess.SessionKey other : node.index().sessionsOf(call.from())) {
            boolean ask = other.session() != request.session() && !node.access().isClosing(other);
            if (ask && node.closureRate().allow(nowMillis, call.from())) {
                node.access().askClosure(nowMillis, other);
            }
        }
    }

    /** Repairs a few of the blocks where the client has something staged: what lies below a later commit is dropped. */
    private void repairAtLimit(long nowMillis, AdmittedRequest call) {
        if (call.judged()) {
            register.refuse(call, FpRefusal.LIMIT);
            return;
        }
        List<StagedIndex.Entry> staged = node.index().of(call.from(), -1);
        int[] left = {Math.min(REPAIRS_AT_LIMIT, staged.size())};
        LongConsumer again = register.once(now -> register.call(now, call.afterRepair()));
        for (StagedIndex.Entry entry : staged.subList(0, left[0])) {
            node.repairs().repair(nowMillis, call.from(), entry.block(), now -> {
                if (--left[0] == 0) {
                    again.accept(now);
                }
            });
        }
    }

    private void put(
            AdmittedRequest call, FpMessage.Prepare request, VersionRecord record, Share share, List<Mutation> more) {
        List<Mutation> mutations = new ArrayList<>(more);
        mutations.add(new Mutation.Put(record.key(register.block()), record.encoded(), share.fragment()));
        Timestamp version = record.version();
        register.store(
                mutations,
                call,
                now -> {
                    register.versions().put(record);
                    register.versions().heal(version);
                    answer(call, request, version);
                },
                now -> {
                    if (!more.isEmpty()) {
                        // A device that says that it has failed may have stored it all the same.
                        node.index().recheck(now, register, record.writer(), version.version());
                    }
                });
    }

    /** Line 1405: a MAC for each slot, good for this sender in this session and this epoch. */
    private void answer(AdmittedRequest call, FpMessage.Prepare request, Timestamp version) {
        if (!register.serves(request.target().epoch())) {
            // Its epoch ended, or the volume was deleted, while this was being stored.
            register.refuse(call, register.isGone() ? FpRefusal.WRONG_SLOT : FpRefusal.OTHER_EPOCH);
            return;
        }
        FpGroup group = register.group();
        Bytes nonce = register.nonce(version);
        List<Bytes> macs = new ArrayList<>(group.n());
        for (int slot = 0; slot < group.n(); slot++) {
            PrincipalId peer = group.node(slot);
            Bytes input = PrepareTag.input(register.target(), slot, call.from(), request.session(), version, nonce);
            macs.add(node.keys().knows(peer) ? node.keys().mac(peer, input) : NO_MAC);
        }
        register.answer(call, new FpMessage.Prepared(request.target(), version.version(), nonce, macs));
    }
}
