package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.metadata.Tables.DueInode;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;

/** Reads the snapshots of version 2, which named each thing once and left what follows from it to the reader. */
final class Version2 {
    static final int VERSION = 2;

    private final WireReader in;
    private final Tables tables;
    private final SessionTable sessions;
    private final Volumes volumes;
    private final Inodes inodes;
    private final Namespace namespace;

    private Version2(WireReader in, Tables tables) {
        this.in = in;
        this.tables = tables;
        sessions = new SessionTable(tables);
        volumes = new Volumes(tables);
        inodes = new Inodes(tables, sessions, volumes);
        namespace = new Namespace(tables, volumes, inodes, Namespace.BUCKETS_MAX);
    }

    /** Reads what is behind the version into empty tables. */
    static void read(WireReader in, Tables tables) {
        try {
            new Version2(in, tables).read();
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        } catch (IllegalStateException e) {
            throw new MalformedException("parts of the snapshot contradict each other: " + e.getMessage());
        }
        in.end();
    }

    private void read() {
        tables.create(Genesis.read(in));
        Totals totals = tables.totals();
        totals.commands = in.nonNegative64();
        totals.agreedMillis = in.nonNegative64();
        totals.historyDigest = Totals.readDigest(in);
        totals.lastVolume = in.i32(0, Integer.MAX_VALUE);
        totals.mapVersion = in.nonNegative64();
        times(this::readVolume);
        totals.servedMillis = in.nonNegative64();
        totals.sequence = in.nonNegative64();
        times(this::readOwner);
        totals.lastInode = in.nonNegative64();
        times(this::readInode);
        totals.lastVersion = in.nonNegative64();
        times(this::readBucket);
        totals.lastReport = in.nonNegative64();
        totals.lastEvidence = in.nonNegative64();
        times(this::passOverReports);
        times(this::passOverEvidence);
        tables.end();
    }

    /** Skips pending reports: their age is unknown. */
    private void passOverReports() {
        in.i32(0, Integer.MAX_VALUE);
        BlockId.read(in);
        CommandCodec.readVerdict(in);
        times(() -> {
            PrincipalId.read(in);
            in.nonNegative64();
        });
    }

    /** Skips the record of faults, whose reports are not there. */
    private void passOverEvidence() {
        in.nonNegative64();
        in.i32(0, Integer.MAX_VALUE);
        BlockId.read(in);
        CommandCodec.readVerdict(in);
        Lists.read(in, 4096, PrincipalId::read);
        in.nonNegative64();
        in.string(Command.DETAIL_BYTES_MAX);
    }

    /** Reads a 32-bit count and as many elements. */
    private void times(Runnable element) {
        int count = in.i32(0, Integer.MAX_VALUE);
        for (int i = 0; i < count; i++) {
            element.run();
        }
    }

    private void readVolume() {
        Volumes.Usage usage = volumes.add(Volume.read(in), in.nonNegative64());
        usage.bytes = in.nonNegative64();
        usage.buckets = in.i32(0, Integer.MAX_VALUE);
    }

    private void readOwner() {
        PrincipalId owner = PrincipalId.read(in);
        tables.account(owner).lastSession = in.nonNegative64();
        times(() -> readSession(owner));
        times(() -> {
            long first = in.nonNegative64();
            sessions.putCollapsed(owner, first, in.nonNegative64(), in.nonNegative64());
        });
    }

    private void readSession(PrincipalId owner) {
        Session session = new Session(
                tables, owner, in.nonNegative64(), in.i32(0, Integer.MAX_VALUE), in.bytes(Submission.BYTES_MAX));
        session.open = in.bool();
        session.expiresMillis = in.nonNegative64();
        session.sequence = in.nonNegative64();
        times(() -> session.restoreUsed(in.nonNegative64(), in.nonNegative64()));
        sessions.put(session);
        times(() -> {
            long first = in.nonNegative64();
            sessions.putFreed(session, session.range(first, in.nonNegative64()), in.nonNegative64());
        });
        session.restoreLowestKept(in.nonNegative64());
        times(() -> session.keep(in.nonNegative64(), in.raw(Hashes.LENGTH), in.bytes(Submission.BYTES_MAX)));
    }

    private void readInode() {
        if (in.bool()) {
            Inode inode = Inode.read(in);
            inodes.put(inode.id(), new Inodes.Stored(inode, PrincipalId.read(in)));
            int links = in.i32(0, Integer.MAX_VALUE);
            long freedAtMillis = in.nonNegative64();
            if (links > 0) {
                tables.links.put(inode.id(), links);
            } else {
                tables.dues.put(new DueInode(freedAtMillis, inode.id()), true);
            }
        } else {
            long id = in.nonNegative64();
            Session session = sessions.require(PrincipalId.read(in), in.nonNegative64());
            inodes.putPending(session, id, Lists.read(in, Command.RANGES_MAX, BlockRange::read));
        }
    }

    private void readBucket() {
        Bucket bucket = new Bucket(
                tables,
                in.string(Names.NAME_LENGTH_MAX),
                PrincipalId.read(in),
                in.i32(0, Integer.MAX_VALUE),
                CommandCodec.readVersioning(in),
                in.nonNegative64(),
                in.nonNegative64());
        require(Names.problemOfName(bucket.name).isEmpty());
        namespace.put(bucket);
        bucket.bytes = in.nonNegative64();
        times(() -> {
            Bytes key = in.bytes(Names.KEY_BYTES_MAX);
            require(Names.problemOfKey(Names.text(key)).isEmpty());
            times(() -> namespace.putLink(
                    bucket,
                    key,
                    in.nonNegative64(),
                    new Link(in.nonNegative64(), in.nonNegative64(), PrincipalId.read(in))));
        });
    }

    private static void require(boolean holds) {
        if (!holds) {
            throw new MalformedException("an invalid name");
        }
    }
}
