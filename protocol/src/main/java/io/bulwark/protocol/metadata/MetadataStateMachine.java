package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;

/**
 * The replicated metadata (PROTOCOLS section 6). Replicas that execute the same submissions with the same times hold the
 * same state and give the same replies, byte for byte. Single-threaded; queries change nothing.
 */
public final class MetadataStateMachine {
    /** Later agreed times count as this one, the end of the year 9999, so that no sum with them overflows. */
    static final long TIME_MILLIS_MAX = 253_402_300_799_999L;

    /** One command moves the agreed time on by no more than this: whatever a primary's clock says, it is not for good. */
    static final long STEP_MILLIS_MAX = 3_600_000;

    private static final int VERSION = 2;

    private final Genesis genesis;
    private final Weight weight;
    private final Grants grants;
    private final Volumes volumes;
    private final Sessions sessions;
    private final Inodes inodes;
    private final Namespace namespace;
    private final EvidenceRecord evidence;
    private long commands;
    private long agreedMillis;
    /** Of all submissions, times and replies so far: what replicas compare, since that of the state costs as much as it is. */
    private Bytes historyDigest = Bytes.of(new byte[Snapshots.DIGEST_BYTES]);

    public MetadataStateMachine(Genesis genesis) {
        this(genesis, new Weight(Weight.BYTES_MAX), Namespace.BUCKETS_MAX);
    }

    MetadataStateMachine(Genesis genesis, Weight weight, int bucketsMax) {
        this.genesis = genesis;
        this.weight = weight;
        grants = new Grants(genesis);
        volumes = new Volumes(genesis.nodes());
        sessions = new Sessions(weight);
        inodes = new Inodes(sessions, volumes, weight);
        namespace = new Namespace(volumes, inodes, weight, bucketsMax);
        evidence = new EvidenceRecord();
    }

    private MetadataStateMachine(WireReader in) {
        genesis = Genesis.read(in);
        weight = new Weight(Weight.BYTES_MAX);
        grants = new Grants(genesis);
        commands = in.nonNegative64();
        agreedMillis = in.nonNegative64();
        historyDigest = Snapshots.copy(in.raw(Snapshots.DIGEST_BYTES));
        volumes = Volumes.read(genesis.nodes(), in);
        sessions = Sessions.read(in, weight);
        inodes = Inodes.read(sessions, volumes, in, weight);
        namespace = Namespace.read(volumes, inodes, in, weight);
        evidence = EvidenceRecord.read(in);
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
        commands++;
        // The first time is taken as it is: there is none before it.
        long latest = commands == 1 ? TIME_MILLIS_MAX : Math.min(agreedMillis + STEP_MILLIS_MAX, TIME_MILLIS_MAX);
        long now = Math.max(agreedMillis, Math.min(agreedTimeMillis, latest));
        sessions.serve(now - agreedMillis);
        agreedMillis = now;
        inodes.settleDue();
        int length = Math.min(command.length(), Submission.BYTES_MAX + 1);
        Bytes reply = execute(submitter, command, length);
        WireWriter history = new WireWriter(256 + length).raw(historyDigest);
        submitter.write(history);
        history.i64(now).i32(command.length()).raw(command.slice(0, length)).raw(reply);
        historyDigest = Snapshots.sha256(history.toBytes());
        return reply;
    }

    private Bytes execute(PrincipalId submitter, Bytes command, int length) {
        try {
            Submission submission = Submission.decode(Snapshots.copy(command.slice(0, length)));
            Grants.require(grants.known(submitter), submitter, "do anything");
            return switch (submission) {
                case Submission.OpenSession open -> open(submitter, open).encoded();
                case Submission.InSession in -> inSession(submitter, in, command);
            };
        } catch (Refusal refusal) {
            return refusal.reply().encoded();
        } catch (MalformedException malformed) {
            return malformed(malformed);
        }
    }

    /**
     * Answers one {@link Query} from the current state.
     *
     * @param asker the authenticated sender
     * @return the canonical bytes of the {@link Reply}
     */
    public Bytes query(PrincipalId asker, Bytes query) {
        try {
            Query decoded = Query.decode(query);
            Grants.require(grants.known(asker), asker, "ask anything");
            return answer(asker, decoded).encoded();
        } catch (Refusal refusal) {
            return refusal.reply().encoded();
        } catch (MalformedException malformed) {
            return malformed(malformed);
        }
    }

    /** The whole state in canonical bytes. */
    public Bytes snapshot() {
        WireWriter out = new WireWriter(1 << 16).u8(VERSION);
        genesis.write(out);
        out.i64(commands).i64(agreedMillis).raw(historyDigest);
        volumes.write(out);
        sessions.write(out);
        inodes.write(out);
        namespace.write(out);
        evidence.write(out);
        return out.toBytes();
    }

    /** SHA-256 of {@link #snapshot}. */
    public Bytes digest() {
        return Snapshots.sha256(snapshot());
    }

    /**
     * The state machine that gave this snapshot.
     *
     * @throws MalformedException if it is none; whether it is the right one, its digest tells
     */
    public static MetadataStateMachine restore(Bytes snapshot) {
        WireReader in = new WireReader(snapshot);
        if (in.u8() != VERSION) {
            throw new MalformedException("unknown version of a snapshot");
        }
        try {
            MetadataStateMachine restored = new MetadataStateMachine(in);
            in.end();
            if (!restored.snapshot().equals(snapshot)) {
                throw new MalformedException("not the canonical bytes of a snapshot");
            }
            return restored;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        } catch (IllegalStateException e) {
            throw new MalformedException("parts of the snapshot contradict each other: " + e.getMessage());
        }
    }

    /** Submissions executed so far. */
    public long commands() {
        return commands;
    }

    /** Agreed time of the last submission, in milliseconds since the epoch. */
    public long agreedMillis() {
        return agreedMillis;
    }

    /** What the state takes up, as {@link Weight} counts. */
    Weight weight() {
        return weight;
    }

    private static Bytes malformed(MalformedException malformed) {
        Throwable cause = malformed.getCause();
        String message = cause == null ? malformed.getMessage() : cause.getMessage();
        return new Refusal(MetadataError.MALFORMED, message == null ? "" : message)
                .reply()
                .encoded();
    }

    private Reply open(PrincipalId submitter, Submission.OpenSession open) {
        if (open.volume() != 0) {
            Volume volume = volumes.byId(open.volume()).volume;
            Grants.require(grants.mayWrite(submitter), submitter, "write to " + volume.name());
        }
        Session session = sessions.open(submitter, open.nonce(), open.volume());
        return new Reply.SessionOpened(session.volume, session.number, Sessions.TTL_MILLIS);
    }

    private Bytes inSession(PrincipalId submitter, Submission.InSession submission, Bytes bytes) {
        Session session = sessions.openSession(submitter, submission.session());
        sessions.renew(session);
        Bytes digest =
                Snapshots.sha256(bytes.slice(Submission.COMMAND_OFFSET, bytes.length() - Submission.COMMAND_OFFSET));
        Optional<Bytes> kept = session.replyTo(submission.number(), submission.lowestUnanswered(), digest);
        if (kept.isPresent()) {
            return kept.get();
        }
        Reply reply;
        try {
            reply = run(submitter, session, submission.command());
        } catch (Refusal refusal) {
            reply = refusal.reply();
        }
        Bytes encoded = reply.encoded();
        if (session.open) {
            session.keep(submission.number(), digest, encoded);
        }
        return encoded;
    }

    private Reply run(PrincipalId submitter, Session session, Command command) {
        if (command instanceof Command.CreateVolume || command instanceof Command.DeleteVolume) {
            Grants.require(grants.mayAdminister(submitter), submitter, "change volumes");
        } else if (command instanceof Command.ReportEvidence) {
            Grants.require(grants.isNode(submitter), submitter, "report evidence");
        } else if (!(command instanceof Command.RenewSession || command instanceof Command.CloseSession)) {
            Grants.require(grants.mayWrite(submitter), submitter, "write");
        }
        if (addsToTheState(command)) {
            weight.requireRoom(submitter);
        }
        return switch (command) {
            case Command.RenewSession _ -> new Reply.Done();
            case Command.CloseSession _ -> done(() -> inodes.close(session));
            case Command.CreateVolume create -> new Reply.VolumeCreated(volumes.create(create));
            case Command.DeleteVolume delete -> done(() -> deleteVolume(volumes.byName(delete.name())));
            case Command.CreateBucket create -> done(() -> namespace.createBucket(create, submitter, agreedMillis));
            case Command.DeleteBucket delete -> done(() -> namespace.deleteBucket(delete.name()));
            case Command.PutObject put -> namespace.put(put, session, agreedMillis);
            case Command.RegisterPending pending -> {
                checkRanges(session, pending.ranges());
                yield new Reply.PendingRegistered(inodes.registerPending(session, pending.ranges()));
            }
            case Command.AbandonRanges abandon -> done(() -> abandon(session, abandon));
            case Command.DeleteObject delete -> namespace.delete(delete, submitter, agreedMillis);
            case Command.RenameObject rename -> namespace.rename(rename, submitter, agreedMillis);
            case Command.CopyObject copy -> namespace.copy(copy, submitter, agreedMillis);
            case Command.ReportEvidence report -> done(() -> report(submitter, report));
        };
    }

    /** Delete markers do, at most one for each name shown, but whoever is to make room must be able to delete. */
    private static boolean addsToTheState(Command command) {
        return switch (command) {
            case Command.CreateVolume _,
                    Command.CreateBucket _,
                    Command.PutObject _,
                    Command.RegisterPending _,
                    Command.RenameObject _,
                    Command.CopyObject _ -> true;
            case Command.AbandonRanges abandon -> !abandon.ranges().isEmpty();
            case Command.RenewSession _,
                    Command.CloseSession _,
                    Command.DeleteVolume _,
                    Command.DeleteBucket _,
                    Command.DeleteObject _,
                    Command.ReportEvidence _ -> false;
        };
    }

    private static Reply done(Runnable action) {
        action.run();
        return new Reply.Done();
    }

    private void deleteVolume(Volumes.Entry volume) {
        Refusal.unless(
                volume.buckets == 0,
                MetadataError.VOLUME_IN_USE,
                volume.volume.name() + " has " + volume.buckets + " buckets");
        int id = volume.volume.id();
        sessions.openFor(id).forEach(inodes::close);
        inodes.freeAllOf(id);
        volumes.delete(volume);
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
        Refusal.unless(
                session.volume != 0
                        && volumes.byId(session.volume).volume.kind() == VolumeKind.OBJECT
                        && session.owns(ranges),
                MetadataError.WRONG_SESSION,
                "session " + session.number + " for volume " + session.volume);
    }

    private void report(PrincipalId submitter, Command.ReportEvidence report) {
        Volume volume = volumes.byId(report.block().volume()).volume;
        PlacementGroup group = volume.group(report.block());
        // f bounds the faulty nodes of each group: f+1 nodes of several groups may all be faulty
        Refusal.unless(
                group.slotOf(report.node()) >= 0
                        && group.slotOf(submitter.number()) >= 0
                        && report.node() != submitter.number(),
                MetadataError.BAD_ARGUMENT,
                submitter + " about node " + report.node() + ", the block's group is " + group.holders());
        evidence.report(submitter, report, volume.policy().f() + 1, agreedMillis);
    }

    private Reply answer(PrincipalId asker, Query query) {
        boolean overseer = grants.isNode(asker) || grants.mayAdminister(asker);
        return switch (query) {
            case Query.GetMap _ -> new Reply.Map(volumes.map());
            case Query.GetStatus _ -> status();
            case Query.SessionOf of -> {
                Grants.require(overseer || asker.equals(of.owner()), asker, "ask about " + of.owner());
                yield new Reply.Session(sessions.state(of.volume(), of.owner(), of.session()));
            }
            case Query.GrantOf of -> {
                Grants.require(overseer || asker.equals(of.principal()), asker, "ask about " + of.principal());
                boolean there = volumes.map().volume(of.volume()).isPresent();
                yield new Reply.Granted(
                        there && grants.mayRead(of.principal()), there && grants.mayWrite(of.principal()));
            }
            case Query.References of -> {
                Grants.require(overseer, asker, "ask for references");
                yield inodes.references(of.volume(), of.afterInode(), of.limit());
            }
            case Query.SessionChanges of -> {
                Grants.require(overseer, asker, "ask for sessions");
                yield sessions.changesAfter(of.afterSequence(), of.limit());
            }
            case Query.ListEvidence of -> evidence.list(of.afterNumber(), of.limit());
            default -> {
                Grants.require(grants.mayRead(asker), asker, "read");
                yield read(query);
            }
        };
    }

    private Reply read(Query query) {
        return switch (query) {
            case Query.FindObject of -> {
                Namespace.Found found = namespace.find(of.bucket(), of.key(), of.version());
                yield new Reply.ObjectFound(
                        found.version(),
                        found.link().linkedMillis(),
                        inodes.inode(found.link().inode()));
            }
            case Query.FindInode of -> new Reply.InodeFound(inodes.find(of.inode()));
            case Query.ListObjects of -> new Listing(inodes).objects(namespace.bucket(of.bucket()), of);
            case Query.ListVersions of -> new Listing(inodes).versions(namespace.bucket(of.bucket()), of);
            case Query.ListBuckets of -> namespace.list(of);
            default -> throw new IllegalStateException("unexpected query " + query);
        };
    }

    private Reply status() {
        return new Reply.Status(
                commands,
                agreedMillis,
                volumes.count(),
                namespace.bucketCount(),
                namespace.visibleCount(),
                inodes.count(),
                volumes.bytes(),
                sessions.openCount(),
                historyDigest);
    }
}
