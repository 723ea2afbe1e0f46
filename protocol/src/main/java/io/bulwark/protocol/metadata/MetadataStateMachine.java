package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.OverlayState;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.IntPredicate;

/**
 * The replicated metadata (docs/protocols/metadata.md). Replicas that execute the same submissions with the same times hold the
 * same state and give the same replies, byte for byte. Single-threaded; queries change nothing.
 */
public final class MetadataStateMachine {
    /** Later agreed times count as this one, the end of the year 9999, so that no sum with them overflows. */
    static final long TIME_MILLIS_MAX = 253_402_300_799_999L;

    /** Bound by which one command advances the agreed time: a wrong clock of a primary cannot move it arbitrarily. */
    static final long STEP_MILLIS_MAX = 3_600_000;

    private final GenesisKeys genesis;
    private final Tables tables;
    private final Grants grants;
    private final Permissions permissions;
    private final Volumes volumes;
    private final SessionTable sessions;
    private final Inodes inodes;
    private final Namespace namespace;
    private final Uploads uploads;
    private final BucketEvents events;
    private final Webhooks webhooks;
    private final BucketDocuments documents;
    private final EvidenceRecord evidence;
    private final Registry registry;
    private final Releases releases;
    private final AuditLog audit;
    private final Suspensions suspensions;
    private final ActForGrants actFor;
    private final AccessKeys accessKeys;
    private final NodeFaults faults;
    private final NodeRemovals removals;
    private final List<Withdrawable> reports;
    private final PlacementChanges holders;
    private final Replicas replicas;
    private final Threats threats;
    private final LockTable locks;
    private final LogExecution logs;
    private final Rounds rounds;
    private final ReplicaLocks lockView;

    /** A new one, in memory. */
    public MetadataStateMachine(Genesis genesis) {
        this(genesis, new TreeMapState());
    }

    /**
     * A new one.
     *
     * @param empty holds its state from now on
     */
    public MetadataStateMachine(Genesis genesis, KeyValueState empty) {
        this(genesis, empty, Weight.BYTES_MAX, Namespace.BUCKETS_MAX);
    }

    MetadataStateMachine(Genesis genesis, KeyValueState empty, long weightMax, int bucketsMax) {
        this(empty, genesis.keys(), weightMax, bucketsMax);
        tables.create(genesis);
        tables.end();
    }

    /**
     * The one whose state this is. All that decides on replies is in there, so that it may be exchanged, or set back, between
     * two calls.
     *
     * @param genesis the same at every replica, for good
     */
    public MetadataStateMachine(KeyValueState state, GenesisKeys genesis) {
        this(state, genesis, Weight.BYTES_MAX, Namespace.BUCKETS_MAX);
    }

    private MetadataStateMachine(KeyValueState state, GenesisKeys genesis, long weightMax, int bucketsMax) {
        this.genesis = genesis;
        tables = new Tables(state, weightMax);
        grants = new Grants(tables);
        volumes = new Volumes(tables);
        sessions = new SessionTable(tables);
        locks = new LockTable(tables, sessions, volumes);
        Compositions compositions = new Compositions(tables);
        inodes = new Inodes(tables, sessions, volumes, compositions, locks);
        registry = new Registry(tables, sessions, inodes, grants, genesis);
        replicas = new Replicas(tables, registry, genesis);
        events = new BucketEvents(tables);
        webhooks = new Webhooks(tables);
        namespace = new Namespace(tables, volumes, inodes, replicas, events, bucketsMax);
        uploads = new Uploads(tables, namespace, inodes, compositions);
        documents = new BucketDocuments(tables, events);
        evidence = new EvidenceRecord(tables);
        permissions = new Permissions(tables, volumes, grants);
        audit = new AuditLog(tables, genesis, registry);
        releases = new Releases(tables);
        suspensions = new Suspensions(tables, volumes, grants, sessions, inodes, evidence);
        actFor = new ActForGrants(tables, grants, suspensions);
        accessKeys = new AccessKeys(tables, grants, suspensions);
        faults = new NodeFaults(tables, volumes);
        reports = List.of(evidence.reports(), suspensions.reports(), faults);
        holders = new PlacementChanges(tables, volumes, registry, reports);
        removals = new NodeRemovals(tables, volumes, faults, holders, sessions, locks, audit);
        threats = new Threats(tables, volumes, holders, sessions, locks, audit);
        logs = new LogExecution(tables, sessions, permissions, suspensions, actFor, this::run);
        rounds = new Rounds(tables, sessions, locks, inodes, replicas, logs);
        lockView = new ReplicaLocks(tables, rounds, log -> {
            OverlayState overlay = new OverlayState(state);
            MetadataStateMachine machine =
                    new MetadataStateMachine(overlay, genesis, weightMax, bucketsMax).withFaulty(replicas.assumed());
            return new LogOverlay(overlay, machine, log);
        });
    }

    /**
     * Executes one ordered {@link Submission}.
     *
     * @param submitter the authenticated sender
     * @param command the canonical bytes; anything else gets {@link MetadataError#MALFORMED}
     * @param agreedTimeMillis the batch's time; one that goes back counts as the last one, one that jumps as an hour later
     * @return the canonical bytes of the {@link Reply}
     */
    public Bytes execute(PrincipalId submitter, Bytes command, long agreedTimeMillis) {
        tables.begin();
        Totals totals = tables.totals();
        totals.commands++;
        // The first time is taken as it is: there is none before it.
        long agreedMillis = totals.agreedMillis;
        long latest =
                totals.commands == 1 ? TIME_MILLIS_MAX : Math.min(agreedMillis + STEP_MILLIS_MAX, TIME_MILLIS_MAX);
        long now = Math.max(agreedMillis, Math.min(agreedTimeMillis, latest));
        sessions.serve(now - agreedMillis);
        totals.agreedMillis = now;
        inodes.settleDue();
        uploads.settleDue(sessions.servedMillis());
        locks.settleDue();
        rounds.execute();
        removals.settleDue();
        threats.settleDue();
        int length = Math.min(command.length(), Submission.BYTES_MAX + 1);
        Bytes reply = execute(submitter, command, length);
        WireWriter history = new WireWriter(256 + length).raw(totals.historyDigest);
        submitter.write(history);
        history.i64(now).i32(command.length()).raw(command.slice(0, length)).raw(reply);
        totals.historyDigest = Hashes.sha256(history.toBytes());
        tables.end();
        return reply;
    }

    private Bytes execute(PrincipalId submitter, Bytes command, int length) {
        Submission submission;
        try {
            submission = Submission.decode(command.slice(0, length));
        } catch (MalformedException malformed) {
            return malformed(malformed);
        }
        try {
            Grants.require(grants.known(submitter), submitter, Reply.Failed.ANYTHING);
            registry.requireInTime(submitter);
            return switch (submission) {
                case Submission.OpenSession open -> open(submitter, open).encoded();
                case Submission.InSession in -> executeInSession(submitter, in, command);
                case Submission.OfReplica of -> rounds.accept(submitter, of).encoded();
            };
        } catch (CommandRefusal refusal) {
            return refusal.reply().encoded();
        }
    }

    /**
     * Answers one {@link Query} from the current state.
     *
     * @param asker the authenticated sender
     * @return the canonical bytes of the {@link Reply}
     */
    public Bytes query(PrincipalId asker, Bytes query) {
        Query decoded;
        try {
            decoded = Query.decode(query);
        } catch (MalformedException malformed) {
            return malformed(malformed);
        }
        tables.begin();
        try {
            Grants.require(grants.known(asker), asker, Reply.Failed.ASK_ANYTHING);
            registry.requireInTime(asker);
            Grants.require(
                    !registry.isInvited(asker)
                            || decoded instanceof Query.GetGenesis
                            || decoded instanceof Query.ListPrincipals,
                    asker,
                    "send queries before it has registered a key of its own");
            return decoded instanceof Query.OnBehalf(PrincipalId person, Query of)
                    ? answer(actFor.authority(asker, Optional.of(person)), of).encoded()
                    : answer(Authority.own(asker), decoded).encoded();
        } catch (CommandRefusal refusal) {
            return refusal.reply().encoded();
        }
    }

    /** Returns the view of the log server that serves beside this replica. */
    public LockView locks() {
        return lockView;
    }

    /** Returns why the round that closes a log was opened; empty if none is open. */
    public Optional<RoundReason> roundOf(LogId log) {
        return lockView.reason(log);
    }

    /** Executes the next entries of a log on an overlay, and returns their replies. */
    List<Bytes> executeInLog(LogId log, List<LogEntry> entries) {
        tables.begin();
        Holder holder = holder(log);
        List<Bytes> replies =
                entries.stream().map(entry -> logs.execute(holder, entry)).toList();
        tables.end();
        return replies;
    }

    /** Answers a holder as of the last entry of its log. */
    Bytes queryInLog(LogId log, Optional<PrincipalId> onBehalfOf, Bytes query) {
        Query decoded;
        try {
            decoded = Query.decode(query);
        } catch (MalformedException malformed) {
            return malformed(malformed);
        }
        tables.begin();
        try {
            Holder holder = holder(log);
            CommandRefusal.refuseUnless(
                    Lockable.isWithin(holder.subtrees, decoded),
                    MetadataError.NOT_LOCKABLE,
                    decoded.getClass().getSimpleName());
            permissions.check(logs.authority(holder, onBehalfOf), decoded);
            return read(decoded).encoded();
        } catch (CommandRefusal refusal) {
            return refusal.reply().encoded();
        }
    }

    private Holder holder(LogId log) {
        return tables.holders
                .find(new Tables.OwnedKey(log.holder(), log.session()))
                .filter(holder -> holder.hasLog() && holder.log().equals(log))
                .orElseThrow(() -> new IllegalStateException("log " + log + " is gone"));
    }

    /** The whole state in canonical bytes: {@link Tables#VERSION}, and all entries in order. */
    public Bytes snapshot() {
        WireWriter out = new WireWriter(1 << 16).u8(Tables.VERSION);
        tables.write(out);
        return out.toBytes();
    }

    /** SHA-256 of {@link #snapshot}. */
    public Bytes digest() {
        return Hashes.sha256(snapshot());
    }

    /**
     * The state machine of a cluster without keys that gave this snapshot, in memory.
     *
     * @throws MalformedException if it is none; whether it is the right one, its digest tells
     */
    public static MetadataStateMachine restore(Bytes snapshot) {
        return restore(snapshot, new TreeMapState(), GenesisKeys.NONE);
    }

    /**
     * The state machine that gave this snapshot.
     *
     * @param empty holds its state from now on, if nothing is thrown
     * @param genesis the same at every replica, for good
     * @throws MalformedException if it is none; whether it is the right one, its digest tells
     */
    public static MetadataStateMachine restore(Bytes snapshot, KeyValueState empty, GenesisKeys genesis) {
        WireReader in = new WireReader(snapshot);
        MetadataStateMachine restored = new MetadataStateMachine(empty, genesis);
        if (in.u8() != Tables.VERSION) {
            throw new MalformedException("unknown version of a snapshot");
        }
        restored.tables.read(in);
        return restored;
    }

    /** Returns this state machine under an engine with fixed replicas: it refuses a change of replicas. */
    public MetadataStateMachine withReplicasThatStay() {
        replicas.stay();
        return this;
    }

    /** Returns this state machine in a cluster without identities, of which so many replicas may be faulty. */
    public MetadataStateMachine withFaulty(int count) {
        replicas.assume(count);
        return this;
    }

    /** The replicas that are to follow, as an operator has said, from the next checkpoint on. */
    public Optional<List<Member>> nextReplicas() {
        return replicas.next().map(Configuration::members);
    }

    /**
     * Returns the proof that an operator has replaced the first by the second, see {@link OperatorAuthorization}; empty if there is
     * none.
     */
    public Optional<Bytes> authorization(Configuration ended, Configuration next) {
        tables.begin();
        return audit.authorization(ended, next);
    }

    /** Returns the replicas that order. */
    public Configuration configuration() {
        tables.begin();
        return replicas.ordering();
    }

    /** Records that this configuration has begun to order. */
    public void onReconfigured(Configuration now) {
        replicas.begin(now);
    }

    /** Submissions executed so far. */
    public long commands() {
        tables.begin();
        return tables.totals().commands;
    }

    /** Agreed time of the last submission, in milliseconds since the epoch. */
    public long agreedMillis() {
        tables.begin();
        return tables.totals().agreedMillis;
    }

    /** Returns the size of the state, as {@link Weight} counts it. */
    Weight weight() {
        tables.begin();
        return tables.weight;
    }

    private static Bytes malformed(MalformedException malformed) {
        Throwable cause = malformed.getCause();
        String message = cause == null ? malformed.getMessage() : cause.getMessage();
        return new CommandRefusal(MetadataError.MALFORMED, message == null ? "" : message)
                .reply()
                .encoded();
    }

    private Reply open(PrincipalId submitter, Submission.OpenSession open) {
        suspensions.requireNone(submitter);
        if (open.volume() != 0) {
            Volume volume = volumes.byId(open.volume()).volume();
            Grants.require(
                    actFor.reaches(submitter, volume.id(), Grants.Right.WRITE), submitter, "write to " + volume.name());
        }
        Session session = sessions.open(submitter, open.nonce(), open.volume());
        return new Reply.SessionOpened(session.volume, session.number, SessionTable.TTL_MILLIS);
    }

    private Bytes executeInSession(PrincipalId submitter, Submission.InSession submission, Bytes bytes) {
        Session session = sessions.openSession(submitter, submission.session());
        sessions.renew(session);
        Bytes digest =
                Hashes.sha256(bytes.slice(Submission.COMMAND_OFFSET, bytes.length() - Submission.COMMAND_OFFSET));
        Optional<Bytes> kept = session.replyTo(submission.number(), submission.lowestUnanswered(), digest);
        if (kept.isPresent()) {
            return kept.get();
        }
        Reply reply;
        try {
            reply = run(submitter, session, submission);
        } catch (CommandRefusal refusal) {
            reply = refusal.reply();
        }
        Bytes encoded = reply.encoded();
        if (session.open) {
            session.keep(submission.number(), digest, encoded);
        }
        return encoded;
    }

    private Reply run(PrincipalId submitter, Session session, Submission.InSession submission) {
        Command command = submission.command();
        Authority by = actFor.authority(submitter, submission.onBehalfOf());
        submission.onBehalfOf().ifPresent(suspensions::requireNone);
        permissions.check(by, session, command);
        requireOrdered(session, command);
        submission.onBehalfOf().ifPresent(ignored -> requireOperatorStays(by, command));
        if (Weight.isAddedBy(command)) {
            tables.supply().requireWeight(submitter);
        }
        if (command instanceof Command.Report report) {
            return done(() -> report(submitter, submission, report));
        }
        if (!(command instanceof Command.Administrative administrative)) {
            locks.requireFree(Touches.of(command));
            return run(by, session, command);
        }
        AuditEntry entry = audit.check(submitter, submission, administrative);
        if (command instanceof Command.ChangeReplicas change) {
            audit.requireMandate(entry, replicas.now(), replicas.named(change));
        }
        locks.requireFree(Touches.of(command));
        Reply reply = run(by, session, command);
        audit.append(entry);
        return reply;
    }

    /**
     * Refuses to take the right to administer, on behalf of a person, from a client whom an operator gave it by his own
     * hand. Only such clients change replicas and keys, and entries on behalf of a person make no other one: without the
     * last of them nobody ever could again.
     */
    private void requireOperatorStays(Authority by, Command command) {
        Optional<PrincipalId> concerned = switch (command) {
            case Command.RevokePrincipal revoke -> Optional.of(revoke.principal());
            case Command.SetGrant(PrincipalId client, Scope.All ignored, Rights rights)
            when !rights.administer() -> Optional.of(client);
            default -> Optional.empty();
        };
        concerned
                .filter(client -> !client.equals(by.principal()))
                .filter(client -> permissions.mayAdminister(Authority.own(client)) && audit.showsOperator(client))
                .ifPresent(client -> Grants.require(
                        false, by, "take the right to administer from " + client + ", only an operator for itself"));
    }

    /** Refuses what a session with a log does not order: its blocks and its names are the log's. */
    private void requireOrdered(Session session, Command command) {
        boolean ordered = switch (command) {
            case Command.Lock ignored -> true;
            case Command.Unlock ignored -> true;
            case Command.RenewSession ignored -> true;
            case Command.CloseSession ignored -> true;
            default -> !locks.hasLog(session);
        };
        CommandRefusal.refuseUnless(ordered, MetadataError.HOLDER_SESSION, session.owner + "." + session.number);
    }

    private Reply.Locked lock(Session session, Command.Lock lock) {
        replicas.requireStable();
        return locks.lock(session, lock);
    }

    private Reply run(Authority by, Session session, Command command) {
        PrincipalId submitter = by.sender();
        events.begin(by.principal());
        long now = tables.supply().nowMillis();
        return switch (command) {
            case Command.RenewSession ignored -> new Reply.Done();
            case Command.CloseSession ignored -> done(() -> inodes.close(session));
            case Command.CreateVolume create ->
                new Reply.VolumeCreated(
                        volumes.create(create, takers(create.policy().n())));
            case Command.DeleteVolume delete -> done(() -> deleteVolume(volumes.byName(delete.name())));
            case Command.CreateBucket create -> done(() -> createBucket(create, by, now));
            case Command.DeleteBucket delete -> done(() -> deleteBucket(delete.name()));
            case Command.UpdateBucket update -> done(() -> namespace.updateBucket(update));
            case Command.PutDocument put -> documents.put(namespace.bucket(put.bucket()), put, submitter);
            case Command.RemoveDocument remove ->
                done(() -> documents.remove(namespace.bucket(remove.bucket()), remove));
            case Command.SetTags set -> namespace.setTags(set, submitter);
            case Command.SetRetention set -> namespace.setRetention(set, now);
            case Command.SetLegalHold set -> namespace.setLegalHold(set);
            case Command.PutObject put -> namespace.put(put, session, now);
            case Command.RegisterPending pending -> {
                checkRanges(session, pending.ranges());
                yield new Reply.PendingRegistered(inodes.registerPending(session, pending.ranges()));
            }
            case Command.AbandonRanges abandon -> done(() -> abandon(session, abandon));
            case Command.DeleteObject delete -> namespace.delete(delete, submitter, now);
            case Command.RenameObject rename -> namespace.rename(rename, submitter, now);
            case Command.CopyObject copy -> namespace.copy(copy, submitter, now);
            case Command.ComposeObject compose -> uploads.compose(compose, submitter, now);
            case Command.BeginUpload begin -> uploads.begin(begin, submitter, now);
            case Command.PutPart put -> uploads.put(put, session, now);
            case Command.CopyPart copy -> uploads.copy(copy, submitter, now);
            case Command.CompleteUpload complete -> uploads.complete(complete, submitter, now, sessions.servedMillis());
            case Command.AbortUpload abort -> done(() -> uploads.abort(abort));
            case Command.Report report -> throw new IllegalStateException("not executed here: " + report);
            case Command.LiftSuspension lift -> done(() -> suspensions.lift(lift.client()));
            case Command.ChangeHolder change -> done(() -> holders.change(change));
            case Command.AbortChange abort -> done(() -> holders.abort(abort));
            case Command.ChangePolicy change -> done(() -> holders.changePolicy(change));
            case Command.SetVolumePolicy set ->
                done(() -> holders.setPolicy(set, replicas, takers(set.policy().n())));
            case Command.RefillInode refill -> namespace.refill(refill, session, now);
            case Command.SetNode set -> done(() -> holders.setNode(set.address()));
            case Command.RemoveNode remove -> done(() -> holders.removeNode(remove.node(), submitter));
            case Command.ChangeReplicas change -> done(() -> replicas.change(change, submitter));
            case Command.SealEpoch seal -> done(() -> holders.seal(submitter, seal));
            case Command.ConfirmEpoch confirm -> done(() -> holders.confirm(submitter, confirm));
            case Command.AddPrincipal add -> done(() -> registry.add(add, submitter));
            case Command.RotateKey rotate -> done(() -> registry.rotate(rotate, submitter));
            case Command.RevokePrincipal revoke -> done(() -> revoke(by, revoke));
            case Command.InvitePrincipal invite -> done(() -> registry.invite(invite, submitter));
            case Command.SetGrant set -> done(() -> set(by, set));
            case Command.SetActFor set -> done(() -> actFor.set(set, submitter));
            case Command.SetAccessKey set -> done(() -> accessKeys.set(set, submitter));
            case Command.RemoveAccessKey remove -> done(() -> accessKeys.remove(remove.id()));
            case Command.SetGateways set -> done(() -> accessKeys.set(set.gateways()));
            case Command.OfEvents ofEvents -> run(ofEvents, submitter);
            case Command.SetRelease set -> done(() -> releases.set(set));
            case Command.Lock lock -> lock(session, lock);
            case Command.Unlock ignored -> done(() -> locks.unlock(session));
            case Command.OpenRound open -> done(() -> locks.openRounds(open.subtree()));
            case Command.OfNodeFault of -> done(() -> run(submitter, of));
            case Command.OfThreat of -> done(() -> threats.run(of, by.principal()));
        };
    }

    private void revoke(Authority by, Command.RevokePrincipal revoke) {
        registry.revoke(revoke, by.principal());
        actFor.forget(revoke.principal());
        accessKeys.forget(revoke.principal());
        suspensions.forget(revoke.principal());
        reports.forEach(each -> each.withdrawOf(revoke.principal()));
    }

    private void run(PrincipalId submitter, Command.OfNodeFault command) {
        switch (command) {
            case Command.ReportPeers report -> faults.report(submitter.number(), report);
            case Command.SetFaultPolicy set -> faults.set(set.policy());
            case Command.ForgiveNode forgive -> {
                faults.forgive(forgive.node());
                removals.giveUp(forgive.node());
            }
        }
    }

    private Reply run(Command.OfEvents command, PrincipalId submitter) {
        return switch (command) {
            case Command.SetWebhook set -> done(() -> webhooks.set(set.webhook(), submitter));
            case Command.RemoveWebhook remove -> done(() -> webhooks.remove(remove.name()));
            case Command.ClaimEvents claim -> events.claim(namespace.bucket(claim.bucket()), claim);
        };
    }

    private static Reply done(Runnable action) {
        action.run();
        return new Reply.Done();
    }

    /** Returns the nodes that may take slots: not the faulty ones, unless too few are left without them. */
    private IntPredicate takers(int needed) {
        IntPredicate good = node -> holders.isActiveNode(node) && !faults.isNamed(node);
        long count = volumes.nodes().stream()
                .mapToInt(NodeAddress::node)
                .filter(good)
                .count();
        return count >= needed ? good : holders::isActiveNode;
    }

    private void deleteVolume(Volumes.Entry volume) {
        CommandRefusal.refuseUnless(
                volume.usage().buckets == 0,
                MetadataError.VOLUME_IN_USE,
                volume.volume().name() + " has " + volume.usage().buckets + " buckets");
        int id = volume.volume().id();
        sessions.openFor(id).forEach(inodes::close);
        inodes.freeAllOf(id);
        grants.forgetVolume(id);
        volumes.delete(volume);
    }

    private void createBucket(Command.CreateBucket create, Authority by, long now) {
        // All that refuses comes before the first change.
        create.document().ifPresent(document -> BucketDocuments.checkName(document.name()));
        namespace.createBucket(create, by, now);
        create.document()
                .ifPresent(document -> documents.putFirst(namespace.bucket(create.name()), document, by.sender()));
    }

    private void deleteBucket(String name) {
        Bucket bucket = namespace.bucket(name);
        namespace.deleteBucket(name);
        documents.removeAll(bucket);
        grants.forget(bucket);
    }

    private void set(Authority by, Command.SetGrant set) {
        switch (set.scope()) {
            case Scope.All ignored -> grants.set(set, Optional.empty(), Optional.empty(), by);
            case Scope.OfVolume of -> grants.set(set, Optional.of(volumes.byName(of.name())), Optional.empty(), by);
            case Scope.OfBucket of -> grants.set(set, Optional.empty(), Optional.of(namespace.bucket(of.name())), by);
        }
    }

    private void abandon(Session session, Command.AbandonRanges abandon) {
        checkRanges(session, abandon.ranges());
        inodes.rangesOfPending(session, abandon.pending());
        session.use(abandon.ranges(), List.of());
        inodes.dropPending(session, abandon.pending());
        for (BlockRange range : abandon.ranges()) {
            sessions.free(session, range.first(), range.first() + range.count());
        }
    }

    private void checkRanges(Session session, List<BlockRange> ranges) {
        CommandRefusal.refuseUnless(
                session.volume != 0
                        && volumes.byId(session.volume).volume().kind() == VolumeKind.OBJECT
                        && session.owns(ranges),
                MetadataError.WRONG_SESSION,
                "session " + session.number + " for volume " + session.volume);
    }

    /** Takes a report of a node, and keeps it with its signature: anybody can check it later ({@link EvidenceProof}). */
    private void report(PrincipalId submitter, Submission.InSession submission, Command.Report content) {
        Optional<AuditEntry.Approval> approval = registry.approval(submitter, submission, content);
        CommandRefusal.refuseUnless(
                approval.isPresent() || !genesis.mustSign(),
                MetadataError.BAD_SIGNATURE,
                submitter + " has not signed its report");
        NodeReport report = new NodeReport(
                submitter, tables.totals().agreedMillis, submission.session(), submission.number(), content, approval);
        switch (content) {
            case Command.ReportEvidence ofNode -> report(report, ofNode);
            case Command.ReportPoison ofClient -> suspensions.report(report, ofClient, locks);
        }
    }

    private void report(NodeReport filed, Command.ReportEvidence report) {
        PrincipalId submitter = filed.reporter();
        Volume volume = volumes.byId(report.block().volume()).volume();
        CommandRefusal.refuseUnless(
                volume.knows(report.block()), MetadataError.BAD_ARGUMENT, "no group has block " + report.block());
        PlacementGroup group = volume.group(report.block());
        // f bounds the faulty nodes of each group: f+1 nodes of several groups may all be faulty
        CommandRefusal.refuseUnless(
                group.slotOf(report.node()) >= 0
                        && group.slotOf(submitter.number()) >= 0
                        && report.node() != submitter.number(),
                MetadataError.BAD_ARGUMENT,
                submitter + " about node " + report.node() + ", the block's group is " + group.holders());
        OptionalLong number =
                evidence.report(filed, volume.policyOf(report.block()).f() + 1);
        if (number.isPresent() && report.verdict() == Verdict.CORRUPT) {
            faults.onProof(report.node(), volume, volume.groupIndex(report.block()), number.getAsLong());
        }
    }

    private Reply answer(Authority asker, Query query) {
        boolean administers = permissions.mayAdminister(asker);
        boolean overseer = permissions.isNode(asker) || administers;
        PrincipalId self = asker.principal();
        return switch (query) {
            case Query.GetMap ignored -> new Reply.Map(volumes.map());
            case Query.GetStatus ignored -> status();
            case Query.SessionOf of -> {
                Grants.require(overseer || self.equals(of.owner()), asker, "ask about " + of.owner());
                yield new Reply.Session(sessions.state(of.volume(), of.owner(), of.session()));
            }
            case Query.GrantOf of -> {
                Grants.require(overseer || self.equals(of.principal()), asker, "ask about " + of.principal());
                yield granted(asker, of);
            }
            case Query.References of -> {
                Grants.require(overseer, asker, "ask for references");
                yield inodes.references(of.volume(), of.after(), of.limit());
            }
            case Query.SessionChanges of -> {
                Grants.require(overseer, asker, "ask for sessions");
                yield sessions.changesAfter(of.afterSequence(), of.limit());
            }
            case Query.ListEvidence of -> evidence.list(of.afterNumber(), of.limit(), overseer);
            case Query.ListNodeFaults ignored -> faults.list();
            case Query.GetThreat ignored -> threats.state();
            case Query.FindEvidence of -> new Reply.EvidenceFound(evidence.find(of.number(), overseer));
            case Query.ListPrincipals list -> registry.list(list);
            case Query.ListReleases ignored -> releases.list();
            case Query.ListReplicas ignored -> replicas.list();
            case Query.GetGenesis ignored -> new Reply.GenesisTold(genesis);
            case Query.ListSuspensions list -> {
                Grants.require(administers, asker, "list suspensions");
                yield suspensions.list(list);
            }
            case Query.ListAudit list -> {
                Grants.require(administers, asker, "read the audit log");
                yield audit.list(list.afterNumber(), list.limit());
            }
            case Query.ListGrants of -> {
                Grants.require(overseer || self.equals(of.client()), asker, "ask about " + of.client());
                yield grants.list(of.client(), volumes);
            }
            case Query.ListActFor list -> actFor.list(list, asker, administers || self.equals(list.door()));
            case Query.FindAccessKey find -> accessKeys.find(find, asker, administers);
            case Query.ListAccessKeys list -> {
                Grants.require(administers || self.equals(list.person()), asker, "list access keys of others");
                yield accessKeys.list(list);
            }
            case Query.ListWebhooks ignored -> {
                boolean isGateway = accessKeys.gateways().doors().contains(asker.sender());
                Grants.require(administers || isGateway, asker, "list webhooks");
                yield webhooks.list();
            }
            case Query.ListEventLogs list -> events.list(list, bucket -> administers || mayListEvents(asker, bucket));
            case Query.ListGateways ignored -> new Reply.GatewayList(accessKeys.gateways());
            case Query.ListLocks list -> locks.list(list, asker.principal(), administers);
            case Query.LogOutcome of -> rounds.outcome(asker.sender(), of);
            default -> {
                permissions.check(asker, query);
                locks.requireFreeToRead(Touches.of(query));
                yield read(query);
            }
        };
    }

    private boolean mayListEvents(Authority asker, Bucket bucket) {
        return bucket.creator.equals(asker.principal())
                || (asker.onBehalfOf().isEmpty()
                        && tables.actFor.contains(new Tables.ActForKey(asker.sender(), bucket.creator)));
    }

    /** Answers nodes with all that a door reaches, and a door with what it may do for just this person. */
    private Reply granted(Authority asker, Query.GrantOf of) {
        int volume = of.volume();
        PrincipalId principal = of.principal();
        boolean exact = asker.onBehalfOf().filter(principal::equals).isPresent();
        boolean there = tables.volumes.contains(volume);
        return new Reply.Granted(
                there
                        && (exact
                                ? actFor.may(asker, volume, Grants.Right.READ)
                                : actFor.reaches(principal, volume, Grants.Right.READ)),
                there
                        && (exact
                                ? actFor.may(asker, volume, Grants.Right.WRITE)
                                : actFor.reaches(principal, volume, Grants.Right.WRITE)));
    }

    private Reply read(Query query) {
        return switch (query) {
            case Query.FindObject of -> {
                Namespace.FoundLink found = namespace.find(of.bucket(), of.key(), of.version());
                yield new Reply.ObjectFound(
                        found.version(),
                        found.link().linkedMillis(),
                        found.link().state(),
                        inodes.inode(found.link().inode()));
            }
            case Query.FindInode of -> inodes.find(of);
            case Query.ListObjects of -> Listing.objects(namespace.bucket(of.bucket()), of);
            case Query.ListVersions of -> Listing.versions(namespace.bucket(of.bucket()), of);
            case Query.ListBuckets of -> namespace.list(of);
            case Query.FindSlices of -> uploads.answer(of);
            case Query.FindUpload of -> uploads.answer(of);
            case Query.ListUploads of -> uploads.answer(of);
            case Query.ListParts of -> uploads.answer(of);
            case Query.ListEvents of -> events.list(namespace.bucket(of.bucket()), of);
            case Query.FindDocument of -> documents.find(namespace.bucket(of.bucket()), of.name());
            case Query.ListDocuments of -> documents.names(namespace.bucket(of.bucket()));
            case Query.CountWriters ignored -> new Reply.Writers(grants.writersOfVersions());
            default -> throw new IllegalStateException("unexpected query " + query);
        };
    }

    private Reply status() {
        Totals totals = tables.totals();
        return new Reply.Status(
                totals.commands,
                totals.agreedMillis,
                volumes.count(),
                namespace.bucketCount(),
                namespace.visibleCount(),
                inodes.count(),
                volumes.bytes(),
                sessions.openCount(),
                locks.openLogs(),
                volumes.olderExtents(),
                totals.historyDigest);
    }
}
