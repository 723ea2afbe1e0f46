package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.metadata.Compositions.SliceSequence;
import io.bulwark.protocol.metadata.Tables.PartKey;
import io.bulwark.protocol.metadata.Tables.TimedUpload;
import io.bulwark.protocol.metadata.Tables.UploadKey;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Multipart uploads and objects made of slices (docs/protocols/metadata.md). A part links to an inode, so that nodes hold
 * it as they hold an object. The completed object takes the links over.
 */
final class Uploads {
    /** Uploads of all buckets. No principal has more than what is left. */
    static final int UPLOADS_MAX = 100_000;

    /** Served time for which the answer to a completion is remembered. */
    static final long COMPLETION_MILLIS = 3_600_000;

    /** Number of completions that one command forgets. */
    private static final int FORGOTTEN_PER_COMMAND = 64;

    private final Tables tables;
    private final Namespace namespace;
    private final Inodes inodes;
    private final Compositions compositions;

    /**
     * An upload.
     *
     * @param owner who began it, on whose account it is
     * @param bytes of its parts
     */
    record Upload(
            PrincipalId owner, long begunMillis, int parts, long bytes, ObjectAttributes attributes, ObjectLock lock) {
        void write(WireWriter out) {
            owner.write(out);
            attributes.write(out.i64(begunMillis).i32(parts).i64(bytes));
            lock.write(out);
        }

        static Upload read(WireReader in) {
            return new Upload(
                    PrincipalId.read(in),
                    in.nonNegative64(),
                    in.i32(0, PartSelection.NUMBER_MAX),
                    in.nonNegative64(),
                    ObjectAttributes.read(in),
                    ObjectLock.read(in));
        }

        /** Returns the lock without a retention that has ended meanwhile. */
        ObjectLock lockAt(long now) {
            return lock.retention().isInForce(now) ? lock : new ObjectLock(Retention.NONE, lock.legalHold());
        }

        Upload with(int addedParts, long addedBytes) {
            return new Upload(owner, begunMillis, parts + addedParts, bytes + addedBytes, attributes, lock);
        }
    }

    /**
     * A part of an upload.
     *
     * @param owner who put it, on whose account it is
     * @param slices of its inode; 0 if that has extents of its own
     */
    record Part(
            long inode, PrincipalId owner, long length, int slices, long storedMillis, ObjectAttributes attributes) {
        void write(WireWriter out) {
            owner.write(out.i64(inode));
            attributes.write(out.i64(length).i32(slices).i64(storedMillis));
        }

        static Part read(WireReader in) {
            return new Part(
                    in.nonNegative64(),
                    PrincipalId.read(in),
                    in.nonNegative64(),
                    in.i32(0, Composition.SLICES_MAX),
                    in.nonNegative64(),
                    ObjectAttributes.read(in));
        }

        long weight() {
            return Weight.PART_BYTES + (long) attributes.encodedBytes();
        }
    }

    /**
     * An upload that was completed.
     *
     * @param digest of the upload's name and of the selected parts
     */
    record Completion(PrincipalId owner, Bytes digest, Bytes reply) {
        void write(WireWriter out) {
            owner.write(out);
            out.raw(digest).bytes(reply);
        }

        static Completion read(WireReader in) {
            return new Completion(PrincipalId.read(in), in.raw(Hashes.LENGTH), in.bytes(Submission.BYTES_MAX));
        }

        static Bytes digest(Command.CompleteUpload complete) {
            WireWriter out = new WireWriter();
            complete.upload().write(out);
            complete.parts().write(out);
            return Hashes.sha256(out.toBytes());
        }
    }

    /** An upload with its place. */
    private record Found(Bucket bucket, UploadKey key, Upload upload) {}

    Uploads(Tables tables, Namespace namespace, Inodes inodes, Compositions compositions) {
        this.tables = tables;
        this.namespace = namespace;
        this.inodes = inodes;
        this.compositions = compositions;
    }

    /** Forgets completions, up to a bound. */
    void settleDue(long servedMillis) {
        for (int forgotten = 0; forgotten < FORGOTTEN_PER_COMMAND; forgotten++) {
            Optional<TimedUpload> due = tables.completionDues.first().map(Table.Entry::key);
            if (due.isEmpty() || due.get().atMillis() > servedMillis) {
                return;
            }
            tables.completionDues.remove(due.get());
            Completion completion = tables.completions.get(due.get().upload()).orElseThrow();
            tables.completions.remove(due.get().upload());
            tables.weight.add(completion.owner, -Weight.COMPLETION_BYTES);
        }
    }

    Reply.ObjectStored compose(Command.ComposeObject compose, PrincipalId by, long now) {
        Bucket bucket = namespace.bucket(compose.bucket());
        Bytes key = Namespace.key(compose.key());
        SliceSequence content = slices(bucket.volume, compose.slices());
        Namespace.checkCondition(bucket, key, compose.condition());
        namespace.checkQuota(bucket, key, content.length());
        VersionState state = Namespace.newState(bucket, compose.attributes(), compose.lock(), now);
        Inode inode = composed(bucket, content, by, now);
        return namespace.link(
                bucket, key, new Link(inode.id(), inode.content().length(), now, by, state), ObjectEvent.Kind.COPY);
    }

    Reply.UploadBegun begin(Command.BeginUpload begin, PrincipalId by, long now) {
        Bucket bucket = namespace.bucket(begin.bucket());
        Bytes key = Namespace.key(begin.key());
        int own = tables.account(by).uploads;
        int all = tables.totals().uploads;
        CommandRefusal.refuseUnless(
                own < UPLOADS_MAX - all, MetadataError.LIMIT_REACHED, all + " uploads, " + own + " of them of " + by);
        // A lock that the bucket does not allow is refused now, not after all parts have come.
        VersionState state = Namespace.newState(bucket, begin.attributes(), begin.lock(), now);
        long id = tables.supply().nextInode();
        Upload upload = new Upload(by, now, 0, 0, state.attributes(), begin.lock());
        tables.uploads.put(new UploadKey(bucket.name, key, id), upload);
        count(bucket, key, upload, 1);
        return new Reply.UploadBegun(id, now);
    }

    Reply.PartStored put(Command.PutPart put, Session session, long now) {
        Found found = find(put.upload());
        OwnContent content = put.content();
        namespace.checkContent(found.bucket, session, content, put.epochs(), put.pending());
        Optional<Part> replaced = part(found, put.number());
        namespace.checkRoom(found.bucket, content.length() - lengthOf(replaced));
        Inode inode = inodes.create(session, put.pending(), content, now);
        inodes.link(inode.id());
        return store(
                found, new PartKey(found.key.id(), put.number()), part(inode, session.owner, now, put.attributes()));
    }

    Reply.PartStored copy(Command.CopyPart copy, PrincipalId by, long now) {
        Found found = find(copy.upload());
        SliceSequence content = slices(found.bucket.volume, copy.slices());
        Optional<Part> replaced = part(found, copy.number());
        namespace.checkRoom(found.bucket, content.length() - lengthOf(replaced));
        Inode inode = composed(found.bucket, content, by, now);
        inodes.link(inode.id());
        return store(found, new PartKey(found.key.id(), copy.number()), part(inode, by, now, copy.attributes()));
    }

    Reply complete(Command.CompleteUpload complete, PrincipalId by, long now, long servedMillis) {
        UploadName name = complete.upload();
        Bytes digest = Completion.digest(complete);
        Optional<Completion> before = tables.completions.get(name.id());
        if (before.isPresent() && before.get().digest.equals(digest)) {
            return Reply.decode(before.get().reply);
        }
        Found found = find(name);
        List<Part> selected = select(found, complete.parts());
        SliceSequence content = content(selected);
        ObjectAttributes attributes = merged(found.upload.attributes, complete.added());
        Bytes key = found.key.key();
        Namespace.checkCondition(found.bucket, key, complete.condition());
        namespace.checkQuota(found.bucket, key, content.length() - found.upload.bytes);
        VersionState state = Namespace.newState(found.bucket, attributes, found.upload.lockAt(now), now);
        Optional<Inode> whole = whole(content);
        // The slices take over the links of the parts: only the differences are written.
        SortedMap<Long, Integer> links = new TreeMap<>();
        selected.forEach(part -> links.merge(part.inode, -1, Integer::sum));
        if (whole.isEmpty()) {
            content.slices().forEach(slice -> links.merge(slice.inode(), 1, Integer::sum));
        }
        links.forEach((inode, change) -> repeat(change, () -> inodes.link(inode)));
        Inode inode = whole.orElseGet(() -> inodes.compose(found.bucket.volume, content, by, now));
        Link link = new Link(inode.id(), inode.content().length(), now, by, state);
        Reply.ObjectStored reply = namespace.link(found.bucket, key, link, ObjectEvent.Kind.COMPLETE_UPLOAD);
        links.forEach((sliced, change) -> repeat(-change, () -> inodes.unlink(sliced)));
        remove(found, new HashSet<>(complete.parts().numbers()));
        tables.completions.put(name.id(), new Completion(by, digest, reply.encoded()));
        tables.completionDues.put(new TimedUpload(servedMillis + COMPLETION_MILLIS, name.id()), true);
        tables.weight.add(by, Weight.COMPLETION_BYTES);
        return reply;
    }

    void abort(Command.AbortUpload abort) {
        remove(find(abort.upload()), Set.of());
    }

    Reply.UploadFound answer(Query.FindUpload query) {
        Found found = find(query.upload());
        return new Reply.UploadFound(entry(found.key, found.upload));
    }

    Reply.UploadList answer(Query.ListUploads query) {
        Bucket bucket = namespace.bucket(query.bucket());
        Bytes prefix = Listing.prefix(query.prefix());
        Bytes after = Names.utf8(query.afterKey());
        List<Reply.UploadEntry> page = new ArrayList<>();
        int bytes = 0;
        UploadKey end = new UploadKey(bucket.name, Bytes.of((byte) 0xFF), 0);
        for (Table.Entry<UploadKey, Upload> entry : tables.uploads.range(start(bucket, prefix, after, query), end)) {
            Bytes key = entry.key().key();
            if (!Listing.startsWith(key, prefix)) {
                break;
            }
            if (page.size() == query.limit() || bytes > Query.PAGE_BYTES_MAX) {
                return new Reply.UploadList(page, true);
            }
            page.add(entry(entry.key(), entry.value()));
            bytes += 64 + key.length() + entry.value().attributes.encodedBytes();
        }
        return new Reply.UploadList(page, false);
    }

    private static UploadKey start(Bucket bucket, Bytes prefix, Bytes after, Query.ListUploads query) {
        if (after.compareTo(prefix) < 0 || after.isEmpty()) {
            return new UploadKey(bucket.name, Bucket.readUntilZero(prefix), 0);
        }
        long id = query.afterUpload() == 0 ? Long.MAX_VALUE : Math.min(query.afterUpload(), Long.MAX_VALUE - 1) + 1;
        return new UploadKey(bucket.name, Bucket.readUntilZero(after), id);
    }

    Reply.PartList answer(Query.ListParts query) {
        long id = find(query.upload()).key.id();
        List<Reply.PartEntry> page = new ArrayList<>();
        int bytes = 0;
        for (Table.Entry<PartKey, Part> entry :
                tables.parts.range(new PartKey(id, query.afterNumber() + 1), new PartKey(id + 1, 0))) {
            if (page.size() == query.limit() || bytes > Query.PAGE_BYTES_MAX) {
                return new Reply.PartList(page, true);
            }
            Part part = entry.value();
            page.add(new Reply.PartEntry(
                    entry.key().number(), part.inode, part.length, part.storedMillis, part.attributes));
            bytes += 64 + part.attributes.encodedBytes();
        }
        return new Reply.PartList(page, false);
    }

    Reply.SliceList answer(Query.FindSlices query) {
        CommandRefusal.refuseUnless(query.version() > 0, MetadataError.BAD_ARGUMENT, "slices of no version");
        long inode = namespace
                .find(query.bucket(), query.key(), query.version())
                .link()
                .inode();
        if (inodes.inode(inode).content() instanceof OwnContent own) {
            // A reader begins anew after a refill; a version of slices and one without have the same readers.
            return new Reply.SliceList(List.of(new Reply.SliceEntry(0, new Slice(inode, 0, own.length()), own)));
        }
        List<Reply.SliceEntry> page = new ArrayList<>();
        int bytes = 0;
        for (Compositions.Placed placed : compositions.from(inode, query.offset(), query.limit())) {
            if (bytes > Query.PAGE_BYTES_MAX) {
                break;
            }
            Slice slice = placed.slice();
            // The reader of a composition may have no right to the rest of what it slices.
            OwnContent content = inodes.own(slice.inode()).reduced(slice.offset(), slice.length());
            page.add(new Reply.SliceEntry(placed.start(), slice, content));
            bytes += 64 + Inodes.bytesOf(content);
        }
        return new Reply.SliceList(page);
    }

    /** Returns bytes of objects as slices of inodes with content of their own. */
    private SliceSequence slices(int volume, List<ObjectRange> ranges) {
        SliceSequence slices = new SliceSequence();
        for (ObjectRange range : ranges) {
            Namespace.FoundLink from = namespace.find(range.bucket(), range.key(), range.version());
            CommandRefusal.refuseUnless(
                    from.bucket().volume == volume,
                    MetadataError.OTHER_VOLUME,
                    "bucket " + range.bucket() + " lies in another volume");
            Inode inode = inodes.inode(from.link().inode());
            long length = inode.content().length();
            boolean toEnd = range.length() == ObjectRange.TO_END;
            CommandRefusal.refuseUnless(
                    range.offset() <= length && (toEnd || range.length() <= length - range.offset()),
                    MetadataError.BAD_ARGUMENT,
                    range.length() + " bytes from " + range.offset() + " on of " + range.bucket() + "/" + range.key()
                            + ", which has " + length);
            compositions.append(inode, range.offset(), toEnd ? length - range.offset() : range.length(), slices);
        }
        return slices;
    }

    /** Returns an inode with this content, and new links for its slices if it is a composition. */
    private Inode composed(Bucket bucket, SliceSequence content, PrincipalId owner, long now) {
        return whole(content).orElseGet(() -> {
            content.slices().forEach(slice -> inodes.link(slice.inode()));
            return inodes.compose(bucket.volume, content, owner, now);
        });
    }

    /** Returns the inode that is all of a content. It needs no composition. */
    private Optional<Inode> whole(SliceSequence content) {
        return content.slices().size() != 1
                ? Optional.empty()
                : Optional.of(inodes.inode(content.slices().getFirst().inode()))
                        .filter(inode -> inode.content().length() == content.length());
    }

    private List<Part> select(Found found, PartSelection selection) {
        List<Part> selected = new ArrayList<>();
        List<PartSelection.Part> named = new ArrayList<>();
        for (int number : selection.numbers()) {
            Part part = part(found, number)
                    .orElseThrow(() -> new CommandRefusal(MetadataError.NO_SUCH_PART, "part " + number));
            selected.add(part);
            named.add(new PartSelection.Part(number, part.inode));
        }
        CommandRefusal.refuseUnless(
                PartSelection.digest(named).equals(selection.digest()),
                MetadataError.NO_SUCH_PART,
                "one of the " + named.size() + " parts was replaced");
        return selected;
    }

    private SliceSequence content(List<Part> parts) {
        SliceSequence content = new SliceSequence();
        for (Part part : parts) {
            if (part.slices == 0 && part.length > 0) {
                content.add(new Slice(part.inode, 0, part.length));
            } else if (part.slices > 0) {
                compositions.append(inodes.inode(part.inode), 0, part.length, content);
            }
        }
        return content;
    }

    private static Part part(Inode inode, PrincipalId owner, long now, ObjectAttributes attributes) {
        int slices = inode.content() instanceof Composition composition ? composition.slices() : 0;
        return new Part(inode.id(), owner, inode.content().length(), slices, now, attributes);
    }

    private Reply.PartStored store(Found found, PartKey key, Part part) {
        Optional<Part> replaced = tables.parts.get(key);
        tables.parts.put(key, part);
        tables.weight.add(part.owner, part.weight());
        replaced.ifPresent(before -> {
            tables.weight.add(before.owner, -before.weight());
            inodes.unlink(before.inode);
        });
        long added = part.length - lengthOf(replaced);
        found.bucket.bytes += added;
        tables.uploads.put(found.key, found.upload.with(replaced.isPresent() ? 0 : 1, added));
        return new Reply.PartStored(part.inode, part.length, part.storedMillis);
    }

    /** Removes an upload with its parts. The object has taken over the links of those that it keeps. */
    private void remove(Found found, Set<Integer> kept) {
        long id = found.key.id();
        for (Table.Entry<PartKey, Part> entry : tables.parts.list(new PartKey(id, 0), new PartKey(id + 1, 0))) {
            Part part = entry.value();
            tables.parts.remove(entry.key());
            tables.weight.add(part.owner, -part.weight());
            if (!kept.contains(entry.key().number())) {
                inodes.unlink(part.inode);
            }
        }
        tables.uploads.remove(found.key);
        found.bucket.bytes -= found.upload.bytes;
        count(found.bucket, found.key.key(), found.upload, -1);
    }

    private void count(Bucket bucket, Bytes key, Upload upload, int change) {
        bucket.uploads += change;
        tables.account(upload.owner).uploads += change;
        tables.totals().uploads += change;
        tables.weight.add(
                upload.owner, change * ((long) Weight.UPLOAD_BYTES + key.length() + upload.attributes.encodedBytes()));
    }

    private Found find(UploadName name) {
        Bucket bucket = namespace.bucket(name.bucket());
        UploadKey key = new UploadKey(bucket.name, Namespace.key(name.key()), name.id());
        return tables.uploads
                .get(key)
                .map(upload -> new Found(bucket, key, upload))
                .orElseThrow(() -> new CommandRefusal(
                        MetadataError.NO_SUCH_UPLOAD, name.id() + " of " + name.bucket() + "/" + name.key()));
    }

    private Optional<Part> part(Found found, int number) {
        return tables.parts.get(new PartKey(found.key.id(), number));
    }

    private static long lengthOf(Optional<Part> part) {
        return part.map(Part::length).orElse(0L);
    }

    private static Reply.UploadEntry entry(UploadKey key, Upload upload) {
        return new Reply.UploadEntry(
                Names.text(key.key()),
                key.id(),
                upload.begunMillis,
                upload.parts,
                upload.bytes,
                upload.attributes,
                upload.lock);
    }

    private static ObjectAttributes merged(ObjectAttributes begun, ObjectAttributes added) {
        SortedMap<String, String> tags = new TreeMap<>(begun.tags());
        tags.putAll(added.tags());
        SortedMap<String, String> properties = new TreeMap<>(begun.properties());
        properties.putAll(added.properties());
        String type = added.contentType().isEmpty() ? begun.contentType() : added.contentType();
        try {
            return new ObjectAttributes(type, tags, properties);
        } catch (IllegalArgumentException e) {
            throw new CommandRefusal(MetadataError.BAD_ARGUMENT, String.valueOf(e.getMessage()));
        }
    }

    private static void repeat(int times, Runnable action) {
        for (int time = 0; time < times; time++) {
            action.run();
        }
    }
}
