package io.bulwark.protocol.fp;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.RevocationWatch;
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
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.ObjLongConsumer;
import java.util.function.Predicate;

/**
 * Node of the FP register (thesis figures 4.2.2 and 4.2.3, docs/protocols/fp.md): admits requests, keeps the state of
 * the blocks in use, and handles repair and the leftovers of closed sessions.
 *
 * <p>A repair is run as operations of this node among its peers, by {@link Effect.Run}; they never address the node
 * itself.
 */
public final class FpServer implements ProtocolServer {
    /** Limit of memory for requests that wait for facts; no sender may hold more than what is left of it. */
    private static final long WAITING_BYTES_MAX = 64L << 20;
    /** Kinds of the records to delete with a volume. */
    private static final List<RecordKind> KINDS = List.of(RecordKind.SESSION, RecordKind.REGISTER_VERSION);

    private final FpNode node;
    private final Outbox out = new Outbox();
    private final LinkedHashMap<BlockId, FpRegister> registers = new LinkedHashMap<>(16, 0.75f, true);
    private final ParkedRequests<AdmittedRequest> parked;
    private final EpochSealer sealing;
    private final OrphanedPrepares orphanedPrepares;
    private final DeletedVolumes deleted;
    private final Revocations revocations;

    /** The only server of its node. */
    public FpServer(TagKeys keys, FpLimits limits) {
        this(keys, limits, ignored -> true, RevocationWatch.NONE);
    }

    /**
     * One of several servers of a node.
     *
     * @param mine whether a block is this server's
     */
    public FpServer(TagKeys keys, FpLimits limits, Predicate<BlockId> mine, RevocationWatch watch) {
        Timeouts times = new Timeouts(100, 400, 0, limits.repairMillis());
        FpAccess access = new FpAccess(keys.self(), out, limits, this::decided);
        StagedIndex index = new StagedIndex(out, mine, limits.blocksCached());
        SenderRates rate = new SenderRates(limits.repairsPerSecond());
        SenderRates closures = new SenderRates(limits.repairsPerSecond());
        this.node = new FpNode(keys, limits, times, out, access, index, rate, closures, new HashMap<>(), this::repair);
        this.parked = new ParkedRequests<>(
                out, new RequestBudget(WAITING_BYTES_MAX), limits.waitingMax(), limits.repairMillis());
        this.sealing = new EpochSealer(out, access.seals());
        this.orphanedPrepares = new OrphanedPrepares(node, watch, this::withRegister);
        this.deleted = new DeletedVolumes(out, KINDS, limits.repairMillis(), new DeletedVolumeCleanup());
        this.revocations =
                new Revocations(node, orphanedPrepares, watch, deleted, registers::values, this::withRegister);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        // Answers belong to operations that are over by now.
        if (message instanceof FpMessage.Request request) {
            dispatch(nowMillis, new AdmittedRequest(from, requestId, request));
        } else if (message instanceof ScrubMessage.ScrubRequest look && from.equals(node.self())) {
            look(nowMillis, requestId, look.block());
        } else if (message instanceof SettleRequest settle && from.equals(node.self())) {
            settle(nowMillis, requestId, settle);
        }
        return out.drain();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        for (FpRegister register : List.copyOf(registers.values())) {
            register.onTick(nowMillis);
        }
        Iterator<Map.Entry<BlockId, FpRegister>> eldest = registers.entrySet().iterator();
        for (int over = registers.size() - node.limits().blocksCached(); over > 0 && eldest.hasNext(); over--) {
            if (eldest.next().getValue().isIdle()) {
                eldest.remove();
            }
        }
        parked.onTick(nowMillis);
        orphanedPrepares.onTick(nowMillis);
        revocations.onTick(nowMillis);
        deleted.onTick(nowMillis);
        return out.drain();
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        out.stored(nowMillis, token, stored);
        return out.drain();
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        out.loaded(nowMillis, token, loaded);
        return out.drain();
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        out.completed(nowMillis, token, outcome);
        return out.drain();
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        if (fact instanceof Fact.Collapsed collapsed) {
            close(nowMillis, collapsed);
        } else if (fact instanceof Fact.Revoked of) {
            take(nowMillis, of);
            revocations.begin(nowMillis, of.principal());
        } else if (fact instanceof Fact.OfVolume of) {
            hear(nowMillis, of);
        } else {
            take(nowMillis, fact);
        }
        return out.drain();
    }

    private void hear(long nowMillis, Fact.OfVolume told) {
        told.known()
                .filter(FpGroup::isUnder)
                .ifPresentOrElse(
                        volume -> sealing.hear(nowMillis, volume, now -> learned(now, told)),
                        () -> take(nowMillis, told));
    }

    private void learned(long nowMillis, Fact.OfVolume told) {
        take(nowMillis, told);
        node.access().volume(told.volume()).ifPresent(volume -> {
            List<EpochSealer.BlockQueue> lines = registers.values().stream()
                    .filter(register -> register.block().volume() == volume.id())
                    .<EpochSealer.BlockQueue>map(register -> register::enqueue)
                    .toList();
            sealing.promise(nowMillis, volume, lines);
        });
    }

    /** Closes those of the sessions that this node has heard of, or that have left something staged here. */
    private void close(long nowMillis, Fact.Collapsed told) {
        PrincipalId owner = told.owner();
        if (!node.index().ready(owner)) {
            node.index().load(owner, now -> close(now, told));
            return;
        }
        Set<FpAccess.SessionKey> sessions = new LinkedHashSet<>(node.access().sessionsOf(owner));
        sessions.addAll(node.index().sessionsOf(owner));
        for (FpAccess.SessionKey session : sessions) {
            if (told.covers(owner, session.session())) {
                take(nowMillis, new Fact.ClosedWith(session.volume(), owner, session.session(), List.of()));
            }
        }
    }

    private void take(long nowMillis, Fact fact) {
        Question answered = node.access().onFact(nowMillis, fact, now -> onClosed(now, fact));
        if (fact instanceof Fact.OfVolume told) {
            // All servers of a node hear of all sessions: of volumes under other protocols nothing is kept.
            deleted.told(
                    nowMillis,
                    told.volume(),
                    told.known().filter(FpGroup::isUnder).isPresent());
        }
        if (answered instanceof Question.OfVolume of) {
            // Requests that wait at a block are judged in the epoch that this node knows now, not when the next request
            // comes.
            for (FpRegister register : List.copyOf(registers.values())) {
                if (register.block().volume() == of.volume()) {
                    node.access().group(register.block()).ifPresent(group -> register.setGroup(nowMillis, group));
                }
            }
            parked.questionsAbout(of.volume()).forEach(question -> release(nowMillis, question));
        } else if (answered != null) {
            release(nowMillis, answered);
        }
    }

    /** Server's part in the deletion of volumes. */
    private final class DeletedVolumeCleanup implements DeletedVolumes.VolumeCleanup {
        /** Forgets the volume; work in progress at a block continues until it is over. */
        @Override
        public void forget(int volume) {
            node.access().deleted(volume);
            registers.values().removeIf(register -> register.block().volume() == volume && register.isIdle());
        }

        /** Extents have records of sessions, too. */
        @Override
        public boolean owns(Loaded.Meta record) {
            return record.key().kind() != RecordKind.SESSION
                    || record.key().suffix().isEmpty();
        }

        @Override
        public List<Mutation> with(Loaded.Meta record) {
            Mutation itself = new Mutation.Delete(record.key());
            return charged(record)
                    .map(staged -> List.of(itself, node.index().delete(staged.writer(), entry(record, staged))))
                    .orElse(List.of(itself));
        }

        @Override
        public void deleted(long nowMillis, Loaded.Meta record) {
            charged(record).ifPresent(staged -> node.index().onRemoved(staged.writer(), entry(record, staged)));
        }

        private static Optional<VersionRecord> charged(Loaded.Meta record) {
            if (record.key().kind() != RecordKind.REGISTER_VERSION) {
                return Optional.empty();
            }
            try {
                return Optional.of(VersionRecord.decode(record.meta()))
                        .filter(known -> known.isChargedTo(known.writer()));
            } catch (MalformedException e) {
                // Not written by this code: nobody is charged for it.
                return Optional.empty();
            }
        }

        private static StagedIndex.Entry entry(Loaded.Meta record, VersionRecord staged) {
            return new StagedIndex.Entry(record.key().block(), staged.version().version());
        }
    }

    private void look(long nowMillis, long requestId, BlockId block) {
        ObjLongConsumer<ScrubMessage.ScrubOutcome> then =
                (found, ignored) -> node.out().send(node.self(), requestId, new ScrubMessage.ScrubResult(block, found));
        boolean known =
                withRegister(nowMillis, block, register -> new BlockScrub(node, register, then).start(nowMillis));
        if (!known) {
            then.accept(ScrubMessage.ScrubOutcome.UNASKED, nowMillis);
        }
    }

    private void settle(long nowMillis, long requestId, SettleRequest asked) {
        SettleRequest.SettleCallback then =
                (done, ignored) -> out.send(node.self(), requestId, new SettleAnswer(asked.block(), done));
        boolean known = withRegister(
                nowMillis,
                asked.block(),
                register -> new RegisterSettlement(node, register, asked.epoch(), then).start(nowMillis));
        if (!known) {
            then.settled(false, nowMillis);
        }
    }

    private void dispatch(long nowMillis, AdmittedRequest call) {
        FpMessage.Request request = call.request();
        switch (node.access().admit(nowMillis, call.from(), request)) {
            case FpAccess.Admission.Admitted admitted ->
                register(admitted.group()).call(nowMillis, call);
            case FpAccess.Admission.Refuse refuse -> refuse(call, refuse.refusal(), refuse.epoch());
            case FpAccess.Admission.Wait wait -> {
                if (!parked.park(nowMillis, call, wait.question(), wait.ask())) {
                    refuse(call, FpRefusal.BUSY, 0);
                }
            }
        }
    }

    private void refuse(AdmittedRequest call, FpRefusal refusal, long epoch) {
        FpMessage.Request request = call.request();
        long ts = request instanceof FpMessage.Prepare prepare
                ? prepare.ts()
                : request instanceof FpMessage.Commit commit ? commit.ts() : 0;
        out.send(
                call.from(),
                call.requestId(),
                new FpMessage.Refused(request.target(), request.asked(), ts, refusal, epoch));
    }

    private void release(long nowMillis, Question question) {
        parked.release(question).forEach(call -> dispatch(nowMillis, call));
    }

    private FpRegister register(FpGroup group) {
        FpRegister register = registers.get(group.block());
        if (register == null) {
            register = new FpRegister(node, group);
            registers.put(group.block(), register);
        }
        return register;
    }

    /**
     * Runs a background task on a block of this node; false if it knows no volume with the block, or holds no slot.
     * Older data of the block are then dropped.
     */
    private boolean withRegister(long nowMillis, BlockId block, Consumer<FpRegister> task) {
        FpGroup group = node.access().group(block).orElse(null);
        if (group == null) {
            return false;
        }
        FpRegister register = register(group);
        if (group.slotOf(node.self()) < 0) {
            return false;
        }
        register.enqueue(nowMillis, now -> task.accept(register));
        return true;
    }

    private void repair(long nowMillis, PrincipalId asker, BlockId block, LongConsumer then) {
        boolean known = withRegister(nowMillis, block, register -> {
            if (!register.repair().request(nowMillis, asker, null, false, then)) {
                then.accept(nowMillis);
            }
        });
        if (!known) {
            then.accept(nowMillis);
        }
    }

    /** A question that this node's own records answer: after a restart it hears so which sessions it has closed. */
    private void decided(Question question, long nowMillis) {
        if (question instanceof Question.OfSession of) {
            FpAccess.SessionKey session = new FpAccess.SessionKey(of.volume(), of.owner(), of.session());
            if (node.access().closed(session)) {
                orphanedPrepares.onClosed(nowMillis, session);
            }
        }
        release(nowMillis, question);
    }

    private void onClosed(long nowMillis, Fact fact) {
        switch (fact) {
            case Fact.OfSession of ->
                orphanedPrepares.onClosed(nowMillis, new FpAccess.SessionKey(of.volume(), of.owner(), of.session()));
            case Fact.ClosedWith with ->
                orphanedPrepares.onClosed(
                        nowMillis, new FpAccess.SessionKey(with.volume(), with.owner(), with.session()));
            case Fact.OfGrant ignored -> {}
            case Fact.OfVolume ignored -> {}
            case Fact.OfPin ignored -> {}
            case Fact.Pending ignored -> {}
            case Fact.Freed ignored -> {}
            case Fact.Collapsed ignored -> {}
            case Fact.Revoked ignored -> {}
        }
    }
}
