package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.RevocationWatch;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.EpochSealer;
import io.bulwark.protocol.epoch.SettleAnswer;
import io.bulwark.protocol.epoch.SettleRequest;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.DeletedVolumes;
import io.bulwark.protocol.kernel.ParkedRequests;
import io.bulwark.protocol.kernel.RequestBudget;
import io.bulwark.protocol.kernel.ScrubMessage;
import io.bulwark.protocol.kernel.SenderRates;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Node of the PASIS register (lazy verification paper, sections 2 to 4; docs/protocols/pasis.md): admits requests and keeps
 * the state of the blocks in use. After a start the unverified versions on disk are listed first; requests wait until
 * then.
 *
 * <p>Verifications, repairs and polls are run as operations of this node among its peers, by {@link Effect.Run}; they
 * never address the node itself.
 */
public final class PasisServer implements ProtocolServer {
    /** Bound on the bytes that waiting requests hold. No sender may hold more than the part that is left. */
    private static final long WAITING_BYTES_MAX = 64L << 20;
    /** Versions first: those that are charged are found by a restart. */
    private static final List<RecordKind> KINDS = List.of(RecordKind.PASIS_VERSION, RecordKind.PASIS_POSSIBLE);

    private enum Life {
        NEW,
        LISTING,
        READY
    }

    private final PasisNode node;
    private final Outbox out = new Outbox();
    private final LinkedHashMap<BlockId, PasisBlock> blocks = new LinkedHashMap<>(16, 0.75f, true);
    private final ParkedRequests<AdmittedRequest> parked;
    private final Deque<AdmittedRequest> early = new ArrayDeque<>();
    private final EpochSealer sealing;
    private final VerificationCandidates offers;
    private final DeletedVolumes deleted;
    private final Revocations revocations;
    private Life life = Life.NEW;

    /**
     * Creates a server without any state.
     *
     * @param clients number of clients that could write now, 0 while that is not known; it bounds each client's share
     *     of the pool
     * @param watch decides when blocks of volumes with lazy verification are verified
     * @param revoked receives the progress on revoked clients
     */
    public PasisServer(
            PrincipalId self,
            PasisLimits limits,
            IntSupplier clients,
            VerificationWatch watch,
            RevocationWatch revoked) {
        Timeouts times = new Timeouts(100, 400, 0, limits.verifyMillis());
        VolumeCounters tally = new VolumeCounters();
        PossibleVersions possible = new PossibleVersions(tally);
        PasisAccess access = new PasisAccess(self, limits.factMillis());
        HistoryPoolCollector rooms = new HistoryPoolCollector(
                limits,
                possible,
                id -> access.group(id)
                        .filter(group -> group.verification() == Verification.LAZY)
                        .filter(group -> limits.leads(group, group.slotOf(self)))
                        .isPresent(),
                this::block);
        SenderRates rate = new SenderRates(limits.asksPerSecond());
        RequestBudget waiting = new RequestBudget(WAITING_BYTES_MAX);
        this.parked = new ParkedRequests<>(out, waiting, limits.waitingMax(), limits.verifyMillis());
        this.node =
                new PasisNode(self, limits, times, out, access, possible, rate, watch, tally, rooms, waiting, clients);
        this.sealing = new EpochSealer(out, access.seals());
        this.offers = new VerificationCandidates(node);
        this.deleted = new DeletedVolumes(out, KINDS, limits.verifyMillis(), new DeletedVolumeCleanup());
        this.revocations = new Revocations(node, revoked, () -> life == Life.READY, blocks::values, this::block);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        begin();
        // Answers belong to operations that are over by now.
        if (message instanceof PasisMessage.Request request) {
            AdmittedRequest call = new AdmittedRequest(from, requestId, request);
            if (life == Life.READY) {
                dispatch(nowMillis, call);
            } else if (node.waiting().park(call)) {
                early.add(call);
            } else {
                refuse(call, PasisRefusal.BUSY, 0);
            }
        } else if (message instanceof PasisBackground.Verify verify && from.equals(node.self())) {
            verify(nowMillis, requestId, verify);
        } else if (message instanceof PasisBackground.ScrubRequest look && from.equals(node.self())) {
            look(nowMillis, requestId, look.block());
        } else if (message instanceof SettleRequest settle && from.equals(node.self())) {
            settle(nowMillis, requestId, settle);
        }
        return drain();
    }

    private List<Effect> drain() {
        node.tally().tell(node.watch());
        return out.drain();
    }

    private void begin() {
        if (life == Life.NEW) {
            life = Life.LISTING;
            node.possible().load(out, now -> {
                life = Life.READY;
                deleted.found(node.possible().volumes());
                for (AdmittedRequest call = early.poll(); call != null; call = early.poll()) {
                    node.waiting().unpark(call);
                    dispatch(now, call);
                }
            });
        }
    }

    private void verify(long nowMillis, long requestId, PasisBackground.Verify asked) {
        BlockId id = asked.block();
        Optional<PasisBlock> known = life == Life.READY ? block(id) : Optional.empty();
        Verifier.VerificationCallback then = (ignored, found, freed) ->
                out.send(node.self(), requestId, new PasisBackground.Verified(id, found, freed));
        known.ifPresentOrElse(
                block -> block.verifier()
                        .request(nowMillis, VerificationGoal.BACKGROUND.withRepair(asked.repair()), then),
                () -> then.then(nowMillis, PasisBackground.VerificationOutcome.UNASKED, 0));
    }

    private void look(long nowMillis, long requestId, BlockId id) {
        ObjLongConsumer<ScrubMessage.ScrubOutcome> then =
                (found, ignored) -> out.send(node.self(), requestId, new PasisBackground.ScrubResult(id, found));
        Optional<PasisBlock> known = life == Life.READY ? block(id) : Optional.empty();
        known.ifPresentOrElse(
                block -> block.enqueue(nowMillis, new BlockScrub(node, block, then)::start),
                () -> then.accept(ScrubMessage.ScrubOutcome.UNASKED, nowMillis));
    }

    private void settle(long nowMillis, long requestId, SettleRequest asked) {
        SettleRequest.SettleCallback then =
                (done, ignored) -> out.send(node.self(), requestId, new SettleAnswer(asked.block(), done));
        Optional<PasisBlock> known = life == Life.READY ? block(asked.block()) : Optional.empty();
        known.ifPresentOrElse(
                block -> block.enqueue(nowMillis, new BlockSettlement(node, block, asked.epoch(), then)::start),
                () -> then.settled(false, nowMillis));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        begin();
        for (PasisBlock block : List.copyOf(blocks.values())) {
            block.onTick(nowMillis);
        }
        revocations.onTick(nowMillis);
        if (life == Life.READY) {
            deleted.onTick(nowMillis);
            offers.step(nowMillis);
        }
        Iterator<Map.Entry<BlockId, PasisBlock>> eldest = blocks.entrySet().iterator();
        for (int over = blocks.size() - node.limits().blocksCached(); over > 0 && eldest.hasNext(); over--) {
            if (eldest.next().getValue().isIdle()) {
                eldest.remove();
            }
        }
        parked.onTick(nowMillis);
        return drain();
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        out.stored(nowMillis, token, stored);
        return drain();
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        out.loaded(nowMillis, token, loaded);
        return drain();
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        out.completed(nowMillis, token, outcome);
        return drain();
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        Optional<Volume> under =
                fact instanceof Fact.OfVolume told ? told.known().filter(PasisGroup::isUnder) : Optional.empty();
        under.ifPresentOrElse(
                volume -> sealing.hear(nowMillis, volume, now -> learned(now, volume.id(), fact)),
                () -> take(nowMillis, fact));
        return drain();
    }

    private void learned(long nowMillis, int id, Fact fact) {
        take(nowMillis, fact);
        node.access().volume(id).ifPresent(volume -> {
            List<EpochSealer.BlockQueue> lines = blocks.values().stream()
                    .filter(block -> block.block().volume() == volume.id())
                    .<EpochSealer.BlockQueue>map(block -> block::enqueue)
                    .toList();
            sealing.promise(nowMillis, volume, lines);
        });
    }

    private void take(long nowMillis, Fact fact) {
        Question answered = node.access().onFact(nowMillis, fact);
        if (fact instanceof Fact.Revoked of) {
            revocations.begin(nowMillis, of.principal());
        }
        if (answered instanceof Question.OfVolume of) {
            // Judge the requests waiting at a block in the newly known epoch now, not when the next request comes.
            for (PasisBlock block : List.copyOf(blocks.values())) {
                if (block.block().volume() == of.volume()) {
                    node.access().group(block.block()).ifPresent(group -> block.setGroup(nowMillis, group));
                }
            }
            if (fact instanceof Fact.OfVolume told
                    && deleted.told(nowMillis, of.volume(), told.known().isPresent())) {
                offers.begin();
                offers.step(nowMillis);
            }
            parked.questionsAbout(of.volume()).forEach(question -> release(nowMillis, question));
        } else if (answered != null) {
            release(nowMillis, answered);
        }
    }

    /** State that is left of deleted volumes. */
    private final class DeletedVolumeCleanup implements DeletedVolumes.VolumeCleanup {
        /** Discards the state, except for blocks with operations in flight; these stay until the operations end. */
        @Override
        public void forget(int volume) {
            node.access().deleted(volume);
            blocks.values().removeIf(block -> block.block().volume() == volume && block.isIdle());
        }

        @Override
        public List<Mutation> with(Loaded.Meta record) {
            return List.of(new Mutation.Delete(record.key()));
        }

        @Override
        public void deleted(long nowMillis, Loaded.Meta record) {
            BlockId block = record.key().block();
            if (record.key().kind() == RecordKind.PASIS_POSSIBLE) {
                node.possible().release(record.key());
                if (node.possible().of(block) == 0) {
                    node.watch().possible(nowMillis, block, 0, false);
                }
            }
        }
    }

    private void dispatch(long nowMillis, AdmittedRequest call) {
        switch (node.access().admit(nowMillis, call.from(), call.request())) {
            case PasisAccess.Admission.Admitted admitted ->
                block(admitted.group()).call(nowMillis, call);
            case PasisAccess.Admission.Refuse refuse -> refuse(call, refuse.refusal(), refuse.epoch());
            case PasisAccess.Admission.Wait wait -> {
                if (!parked.park(nowMillis, call, wait.question(), true)) {
                    refuse(call, PasisRefusal.BUSY, 0);
                }
            }
        }
    }

    private void refuse(AdmittedRequest call, PasisRefusal refusal, long epoch) {
        // PeerNotifications are not answered.
        if (!(call.request() instanceof PasisMessage.Notify)) {
            out.send(call.from(), call.requestId(), PasisMessage.Refused.of(call.request(), refusal, epoch));
        }
    }

    private void release(long nowMillis, Question question) {
        parked.release(question).forEach(call -> dispatch(nowMillis, call));
    }

    private PasisBlock block(PasisGroup group) {
        PasisBlock block = blocks.get(group.block());
        if (block == null) {
            block = new PasisBlock(node, group);
            blocks.put(group.block(), block);
        }
        return block;
    }

    /**
     * Returns a block for a background task of this node; empty if it knows no volume with the block, or holds no slot.
     * Older data of the block are then dropped.
     */
    private Optional<PasisBlock> block(BlockId id) {
        return node.access().group(id).map(this::block).filter(block -> block.slot() >= 0);
    }
}
