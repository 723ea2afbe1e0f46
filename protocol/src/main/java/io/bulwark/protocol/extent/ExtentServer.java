package io.bulwark.protocol.extent;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.Seals;
import io.bulwark.protocol.extent.ExtentBlocks.ReadDepth;
import io.bulwark.protocol.extent.ExtentMessage.Acknowledged;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.CheckDepth;
import io.bulwark.protocol.extent.ExtentMessage.Complete;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.NotStored;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Request;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.extent.ExtentMessage.StoreBlock;
import io.bulwark.protocol.extent.ExtentMessage.Supply;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.extent.ExtentRecord.DamagedRecord;
import io.bulwark.protocol.extent.ExtentRecord.HeldExtent;
import io.bulwark.protocol.extent.ExtentRecord.Poisonous;
import io.bulwark.protocol.extent.ExtentRecord.WantedExtent;
import io.bulwark.protocol.extent.ExtentSessions.Session;
import io.bulwark.protocol.extent.PendingRequests.ParkedRequest;
import io.bulwark.protocol.extent.Repairs.Place;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A storage node's side of extents (docs/protocols/extents.md). It keeps at most one version of each id for ever, and checks
 * it against its checksum before it is durable, when it scrubs, and when it is suspected. It serves it to readers with a
 * read grant that name its pin; they check its hash, and the store its CRC. It makes missing fragments again from the others, and drops extents that 2f+1 replicas report as freed.
 *
 * <p>Every request passes the same checks in the same order: volume, epoch and slot, right, session, freed. The node
 * asks the replicas about unknown facts before it refuses.
 */
public final class ExtentServer implements ProtocolServer {
    private static final int WAITING_PER_BLOCK_MAX = 256;
    private static final int EARLY_MAX = 1024;
    private static final int RECOUNT_PAGE = 1024;
    private static final BlockId FIRST = new BlockId(0, PrincipalId.NOBODY, 0, 0);
    private static final BlockId LAST =
            new BlockId(Integer.MAX_VALUE, PrincipalId.client(Integer.MAX_VALUE), Long.MAX_VALUE, Long.MAX_VALUE);

    private final Predicate<BlockId> mine;
    private final int node;
    private final PrincipalId self;
    private final ExtentLimits limits;
    private final Continuations continuations = new Continuations();
    private final ReplicaFacts replicas = new ReplicaFacts();
    private final StorageQuota quota;
    private final ExtentBlocks blocks;
    private final ExtentSessions sessions;
    private final Repairs repairs;
    private final SuppliedFragments supplies;
    private final PendingRequests pendingRequests;
    private final Seals seals;
    private final Map<PrincipalId, long[]> suspicions = new LinkedHashMap<>();
    /** Pins that were told before their volume was known. */
    private final Deque<Fact.OfPin> early = new ArrayDeque<>();

    private boolean recounting;

    /** @param node the number of this node */
    public ExtentServer(int node, ExtentLimits limits) {
        this(node, limits, ignored -> true);
    }

    /**
     * One of several servers of a node. All blocks of a session belong to one of them; limits hold for each.
     *
     * @param mine whether a block is this server's
     */
    public ExtentServer(int node, ExtentLimits limits, Predicate<BlockId> mine) {
        this.mine = mine;
        this.node = node;
        this.self = PrincipalId.node(node);
        this.limits = limits;
        this.quota = new StorageQuota(limits.unreferencedBytesMax());
        this.blocks = new ExtentBlocks(continuations, quota, this::serves);
        this.sessions = new ExtentSessions(self, continuations, blocks::discard, blocks::reference);
        this.repairs = new Repairs(self, limits, continuations, blocks, sessions);
        this.supplies = new SuppliedFragments(limits, blocks, sessions, repairs);
        this.pendingRequests = new PendingRequests(limits.parkedBytesMax());
        this.seals = new Seals(node);
    }

    /** The bytes of a client that this node keeps and knows no reference to. */
    public long unreferencedBytes(PrincipalId owner) {
        return quota.of(owner);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        ServerCall turn = ServerCall.at(nowMillis);
        if (message instanceof Request request && blocks.waiting(request.block()) < WAITING_PER_BLOCK_MAX) {
            admit(turn, new ParkedRequest(from, requestId, request, nowMillis));
        }
        return turn.effects();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        ServerCall turn = ServerCall.at(nowMillis);
        if (!recounting) {
            recounting = true;
            resumeSweeps(turn, FIRST);
            recount(turn, FIRST);
        }
        suspicions.clear();
        sessions.onTick(turn);
        pendingRequests.onTick(turn).forEach(asked -> admit(turn, asked));
        return turn.effects();
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        ServerCall turn = ServerCall.at(nowMillis);
        continuations.onStored(turn, token, stored);
        return turn.effects();
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        ServerCall turn = ServerCall.at(nowMillis);
        continuations.onLoaded(turn, token, loaded);
        return turn.effects();
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        ServerCall turn = ServerCall.at(nowMillis);
        continuations.onCompleted(turn, token, outcome);
        return turn.effects();
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        ServerCall turn = ServerCall.at(nowMillis);
        switch (fact) {
            case Fact.OfVolume told -> {
                if (told.known().isEmpty() || seals.knows(told.volume())) {
                    learn(turn, told);
                } else {
                    // Promises of an earlier life are loaded before anything is served in this one.
                    RecordKey promised = RecordKey.of(RecordKind.SEAL, Seals.block(told.volume()));
                    continuations.loadMeta(turn, promised, (next, metas) -> {
                        seals.loaded(told.volume(), metas.records());
                        learn(next, told);
                    });
                }
            }
            case Fact.OfGrant told -> {
                replicas.learn(nowMillis, told);
                Question question = new Question.OfGrant(told.volume(), told.principal());
                answered(turn, question::equals, true);
            }
            case Fact.OfSession told -> {
                sessions.learn(told);
                Question question = new Question.OfSession(told.volume(), told.owner(), told.session());
                answered(turn, question::equals, told.state() != SessionState.UNKNOWN);
            }
            case Fact.OfPin told -> referenced(turn, told);
            case Fact.Pending told when mine.test(told.range().at(0)) -> sessions.learn(turn, told);
            case Fact.Freed told when mine.test(told.range().at(0)) -> sessions.learn(turn, told);
            case Fact.ClosedWith told
            when mine.test(new BlockId(told.volume(), told.owner(), told.session(), 0)) -> sessions.learn(turn, told);
            case Fact.Collapsed told -> sessions.learn(turn, told);
            // Data stored by a revoked client becomes no part of any object.
            case Fact.Pending ignored -> {}
            case Fact.Freed ignored -> {}
            case Fact.ClosedWith ignored -> {}
            case Fact.Revoked ignored -> {}
        }
        return turn.effects();
    }

    /** Judges the requests that wait for the volume, once the epochs that it ends are refused for good. */
    private void learn(ServerCall turn, Fact.OfVolume told) {
        replicas.learn(told);
        List<Seals.Seal> fresh =
                replicas.volume(told.volume()).map(seals::learn).orElse(List.of());
        if (fresh.isEmpty()) {
            learned(turn, told);
            return;
        }
        // If the store fails, the node retries when it next hears of the volume; it serves nothing until then.
        continuations.store(turn, Seals.mutations(fresh), (next, stored) -> {
            if (stored == Stored.DURABLE) {
                seals.stored(fresh);
            }
            learned(next, told);
        });
    }

    private void learned(ServerCall turn, Fact.OfVolume told) {
        replicas.volume(told.volume())
                .ifPresent(volume -> seals.promises(volume).forEach(turn::add));
        for (int waiting = early.size(); waiting > 0; waiting--) {
            referenced(turn, early.removeFirst());
        }
        answered(
                turn,
                question -> question instanceof Question.OfVolume asked && asked.volume() == told.volume(),
                told.known().isPresent());
    }

    private void answered(ServerCall turn, Predicate<Question> questions, boolean granted) {
        if (granted) {
            pendingRequests.answered(questions).forEach(asked -> admit(turn, asked));
        } else {
            pendingRequests.onDenied(questions);
        }
    }

    private void referenced(ServerCall turn, Fact.OfPin told) {
        BlockId block = told.block();
        Volume volume = replicas.volume(block.volume()).orElse(null);
        blocks.learnPin(block, told.pin());
        if (volume == null || !volume.knows(block)) {
            if (early.size() < EARLY_MAX) {
                early.addLast(told);
            }
            turn.add(new Effect.Ask(newerMap(block, volume)));
            return;
        }
        PlacementGroup group = volume.group(block);
        int slot = group.slotOf(node);
        if (slot >= 0) {
            repairs.complete(
                    turn,
                    new Place(volume, block, group.epoch(), slot, group.isFresh(node)),
                    told.pin(),
                    CheckDepth.RECORD,
                    (ignored1, ignored2) -> {});
        }
    }

    /** Serves the request, refuses it, or lets it wait for what must be known first. */
    private void admit(ServerCall turn, ParkedRequest asked) {
        Request request = asked.request;
        BlockId block = request.block();
        Volume volume = replicas.volume(block.volume()).orElse(null);
        if (volume == null) {
            askOrRefuse(turn, asked, newerMap(block, volume), StoreRefusal.NO_VOLUME, ReadRefusal.NO_VOLUME);
            return;
        }
        if (!volume.knows(block)) {
            // The sender has a later map, or lies.
            askOrRefuse(turn, asked, newerMap(block, volume), StoreRefusal.WRONG_EPOCH, ReadRefusal.WRONG_EPOCH);
            return;
        }
        int index = volume.groupIndex(block);
        PlacementGroup group = volume.groups().get(index);
        if (request.epoch() != group.epoch() || !seals.serves(volume.id(), index, group.epoch())) {
            // One question serves all epochs that senders claim, and a false claim buys one answer only.
            Question question = new Question.OfVolume(block.volume(), index, group.epoch() + 1);
            boolean later = request.epoch() > group.epoch()
                    || (request.epoch() == group.epoch() && seals.sealed(volume.id(), index, group.epoch()));
            if (later && !asked.answered.contains(question)) {
                pendingRequests.park(turn, question, asked);
            } else {
                refuse(turn, asked, StoreRefusal.WRONG_EPOCH, ReadRefusal.WRONG_EPOCH);
            }
            return;
        }
        if (group.slotOf(node) != request.slot()) {
            refuse(turn, asked, StoreRefusal.NOT_HOLDER, ReadRefusal.NOT_HOLDER);
            return;
        }
        if (isPermitted(turn, asked, volume)) {
            sessions.with(turn, ExtentSessions.Key.of(block), (next, session) -> {
                Place place = new Place(volume, block, group.epoch(), request.slot(), group.isFresh(node));
                serve(next, asked, place, session);
            });
        }
    }

    /** Asks for a map with the group of a block that none of the known generations has. */
    private static Question newerMap(BlockId block, @Nullable Volume known) {
        return new Question.OfVolume(
                block.volume(), known == null ? 0 : known.groups().size(), 1);
    }

    private boolean serves(BlockId block, long epoch) {
        return replicas.volume(block.volume())
                .filter(volume -> volume.knows(block))
                .map(volume -> volume.group(block).epoch() == epoch
                        && seals.serves(volume.id(), volume.groupIndex(block), epoch))
                .orElse(false);
    }

    /** The right to ask this; false if the request was refused or waits. */
    private boolean isPermitted(ServerCall turn, ParkedRequest asked, Volume volume) {
        PrincipalId from = asked.from;
        switch (asked.request) {
            case Store ignored -> {
                return isOwner(turn, asked);
            }
            case StoreBlock ignored -> {
                return isOwner(turn, asked);
            }
            case Complete ignored -> {
                if (!from.equals(self)) {
                    refuse(turn, asked, StoreRefusal.NOT_OWNER, ReadRefusal.NOT_PERMITTED);
                }
                return from.equals(self);
            }
            case Supply ignored
            when !volume.policyOf(asked.request.block()).checksFragments() -> {
                refuse(turn, asked, StoreRefusal.NOT_OWNER, ReadRefusal.NOT_PERMITTED);
                return false;
            }
            case ReadPinned ignored -> {
                return mayRead(turn, asked, volume);
            }
            case Suspect ignored -> {
                return mayRead(turn, asked, volume);
            }
            case Supply ignored -> {
                return mayRead(turn, asked, volume);
            }
        }
    }

    private boolean isOwner(ServerCall turn, ParkedRequest asked) {
        boolean owner = asked.from.equals(asked.request.block().owner());
        if (!owner) {
            refuse(turn, asked, StoreRefusal.NOT_OWNER, ReadRefusal.NOT_PERMITTED);
        }
        return owner;
    }

    private boolean mayRead(ServerCall turn, ParkedRequest asked, Volume volume) {
        PrincipalId from = asked.from;
        if (from.kind() == PrincipalKind.NODE && holds(from.number(), volume)) {
            return true;
        }
        Boolean mayRead = replicas.mayRead(turn.nowMillis(), volume.id(), from);
        if (mayRead == null) {
            pendingRequests.park(turn, new Question.OfGrant(volume.id(), from), asked);
        } else if (!mayRead) {
            refuse(turn, asked, StoreRefusal.NOT_OWNER, ReadRefusal.NOT_PERMITTED);
        }
        return mayRead != null && mayRead;
    }

    /** A node of any group of the volume reads pin lists that stand in other groups, too. */
    private static boolean holds(int number, Volume volume) {
        return volume.groups().stream().anyMatch(group -> group.slotOf(number) >= 0);
    }

    private void serve(ServerCall turn, ParkedRequest asked, Place place, Session session) {
        if (session.isFreed(place.block())) {
            refuse(turn, asked, StoreRefusal.FREED, ReadRefusal.FREED);
            return;
        }
        switch (asked.request) {
            case Store store ->
                store(turn, asked, place, session, StoreProposal.of(place.policy(), place.slot(), store));
            case StoreBlock store ->
                store(turn, asked, place, session, StoreProposal.of(place.policy(), place.slot(), store));
            case Supply supply ->
                supplies.take(turn, asked.from, place, supply, (next, refusal) -> answer(next, asked, place, refusal));
            case ReadPinned read -> read(turn, asked, place, read);
            case Complete complete ->
                repairs.complete(
                        turn,
                        place,
                        complete.pin(),
                        complete.look(),
                        (next, result) -> answer(next, asked, new Completed(place.block(), place.epoch(), result)));
            case Suspect suspect -> suspect(turn, asked.from, place, suspect);
        }
    }

    private void store(
            ServerCall turn, ParkedRequest asked, Place place, Session session, ExtentBlocks.Proposal proposal) {
        if (session.closed()) {
            refuse(turn, asked, StoreRefusal.SESSION_CLOSED, ReadRefusal.NOT_PERMITTED);
            return;
        }
        if (session.state != SessionState.OPEN) {
            BlockId block = place.block();
            Question question = new Question.OfSession(block.volume(), block.owner(), block.session());
            askOrRefuse(turn, asked, question, StoreRefusal.NO_SESSION, ReadRefusal.NOT_PERMITTED);
            return;
        }
        blocks.store(
                turn,
                place.block(),
                session,
                place.epoch(),
                place.slot(),
                proposal,
                (next, refusal) -> answer(next, asked, place, refusal));
    }

    private void answer(ServerCall turn, ParkedRequest asked, Place place, @Nullable StoreRefusal refusal) {
        if (refusal == StoreRefusal.WRONG_EPOCH) {
            refuse(turn, asked, refusal, ReadRefusal.WRONG_EPOCH);
            return;
        }
        answer(
                turn,
                asked,
                refusal == null
                        ? new Acknowledged(place.block(), place.epoch())
                        : new NotStored(place.block(), place.epoch(), refusal));
    }

    private void read(ServerCall turn, ParkedRequest asked, Place place, ReadPinned read) {
        ReadDepth depth = read.wantFragment() ? ReadDepth.FRAGMENT : ReadDepth.RECORD;
        blocks.read(turn, place.block(), depth, (next, content) -> {
            ExtentRecord record = content.record().orElse(null);
            ReadRefusal refusal = switch (record) {
                case null -> ReadRefusal.NONE;
                case WantedExtent wanted ->
                    wanted.pin().equals(read.pin()) ? ReadRefusal.NONE : ReadRefusal.OTHER_VERSION;
                case Poisonous poisonous ->
                    poisonous.pin().equals(read.pin()) ? ReadRefusal.POISONOUS : ReadRefusal.OTHER_VERSION;
                case DamagedRecord ignored -> ReadRefusal.DAMAGED;
                case HeldExtent held when !held.is(read.pin()) -> ReadRefusal.OTHER_VERSION;
                // A fragment of a slot that this node had once is none of this one; completion takes another in its
                // place.
                case HeldExtent held when held.slot() != place.slot() -> ReadRefusal.NONE;
                case HeldExtent held
                when read.wantFragment() && content.fragment() == null -> {
                    repairs.repairDamaged(next, place, held);
                    yield ReadRefusal.DAMAGED;
                }
                case HeldExtent held -> {
                    answer(
                            next,
                            asked,
                            content.fragment() == null
                                    ? new Holds(place.block(), place.epoch(), held.delivery())
                                    : new Found(
                                            place.block(),
                                            place.epoch(),
                                            held.checksum(),
                                            content.fragment(),
                                            held.verified(),
                                            held.delivery()));
                    yield null;
                }
            };
            if (refusal != null) {
                answer(next, asked, new NotFound(place.block(), place.epoch(), place.refusal(refusal)));
            }
        });
    }

    private void suspect(ServerCall turn, PrincipalId from, Place place, Suspect suspect) {
        ProtectionPolicy policy = place.policy();
        long[] count = suspicions.computeIfAbsent(from, ignored -> new long[1]);
        if (suspect.suspectSlot() >= policy.n() || repairs.isBusy() || count[0]++ >= limits.suspicionsPerTick()) {
            return;
        }
        if (suspect.suspectSlot() == place.slot()) {
            repairs.verifyOwn(turn, place, suspect.pin());
        } else {
            repairs.judge(turn, place, suspect.pin(), suspect.suspectSlot());
        }
    }

    private void askOrRefuse(
            ServerCall turn, ParkedRequest asked, Question question, StoreRefusal ofStore, ReadRefusal ofRead) {
        if (asked.answered.contains(question)) {
            refuse(turn, asked, ofStore, ofRead);
        } else {
            pendingRequests.park(turn, question, asked);
        }
    }

    private void refuse(ServerCall turn, ParkedRequest asked, StoreRefusal ofStore, ReadRefusal ofRead) {
        BlockId block = asked.request.block();
        long epoch = replicas.volume(block.volume())
                .filter(volume -> volume.knows(block))
                .map(volume -> volume.group(block).epoch())
                .orElse(asked.request.epoch());
        switch (asked.request) {
            case Store ignored -> answer(turn, asked, new NotStored(block, epoch, ofStore));
            case StoreBlock ignored -> answer(turn, asked, new NotStored(block, epoch, ofStore));
            case Supply ignored -> answer(turn, asked, new NotStored(block, epoch, ofStore));
            case ReadPinned ignored -> answer(turn, asked, new NotFound(block, epoch, ofRead));
            case Complete ignored -> {
                CompletionResult result =
                        ofRead == ReadRefusal.FREED ? CompletionResult.FREED : CompletionResult.REFUSED;
                answer(turn, asked, new Completed(block, epoch, result));
            }
            case Suspect ignored -> {}
        }
    }

    private static void answer(ServerCall turn, ParkedRequest asked, Answer answer) {
        turn.add(new Effect.Send(asked.from, asked.requestId, answer));
    }

    /** Resumes, after a start, the deletions that the crash interrupted. */
    private void resumeSweeps(ServerCall turn, BlockId from) {
        continuations.scan(turn, RecordKind.SESSION, from, LAST, RECOUNT_PAGE, (next, metas) -> {
            for (Loaded.Meta meta : metas.records()) {
                if (mine.test(meta.key().block()) && SessionRecord.isSweeping(meta)) {
                    sessions.with(next, ExtentSessions.Key.of(meta.key().block()), (ignored1, ignored2) -> {});
                }
            }
            if (metas.records().size() == RECOUNT_PAGE) {
                resumeSweeps(next, after(metas.records().getLast().key().block()));
            }
        });
    }

    /** Counts, after a start, the unreferenced bytes of each owner. */
    private void recount(ServerCall turn, BlockId from) {
        continuations.scan(turn, RecordKind.EXTENT, from, LAST, RECOUNT_PAGE, (next, metas) -> {
            for (Loaded.Meta meta : metas.records()) {
                BlockId block = meta.key().block();
                if (mine.test(block)
                        && ExtentRecord.decode(block, meta.meta()) instanceof HeldExtent held
                        && !held.referenced()) {
                    quota.count(block, ExtentBlocks.size(held));
                }
            }
            if (metas.records().size() == RECOUNT_PAGE) {
                recount(next, after(metas.records().getLast().key().block()));
            } else {
                quota.endCount();
            }
        });
    }

    private static BlockId after(BlockId block) {
        return block.counter() < Long.MAX_VALUE
                ? new BlockId(block.volume(), block.owner(), block.session(), block.counter() + 1)
                : block;
    }
}
