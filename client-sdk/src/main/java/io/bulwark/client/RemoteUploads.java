package io.bulwark.client;

import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.ObjectRange;
import io.bulwark.protocol.metadata.PartSelection;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.UploadName;
import io.bulwark.protocol.object.ObjectAttributes;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Multipart uploads and compositions in a bucket of a connected client. */
final class RemoteUploads implements Uploads {
    /** A completion is safe to repeat, so that a lost session is no reason to trouble the user. */
    private static final int ATTEMPTS_MAX = 3;

    /** Bytes of slices in one command, which leaves room for the attributes. */
    private static final int SLICES_BYTES_MAX = 40 << 10;

    private static final int SLICE_BYTES = 40;

    private final BulwarkClient client;
    private final RemoteBucket bucket;
    private final int volume;

    RemoteUploads(BulwarkClient client, RemoteBucket bucket, int volume) {
        this.client = client;
        this.bucket = bucket;
        this.volume = volume;
    }

    @Override
    public Upload begin(String key, PutOptions options) {
        bucket.checkKey(key);
        Subject subject = bucket.subject(key);
        requireNoPrecondition(options, subject);
        ObjectAttributes attributes = new FinalAttributes(options, subject).get();
        Reply.UploadBegun begun = client.execute(
                Reply.UploadBegun.class,
                new Command.BeginUpload(bucket.name(), key, attributes, options.lock()),
                subject);
        return new Upload(
                bucket.name(),
                key,
                begun.upload(),
                Instant.ofEpochMilli(begun.begunMillis()),
                attributes,
                options.lock());
    }

    @Override
    public UploadedPart put(Upload upload, int number, InputStream content, PutOptions options) {
        return put(upload, number, options.expectedLength(), writer -> writer.write(content), options, 1);
    }

    @Override
    public UploadedPart put(Upload upload, int number, byte[] content, PutOptions options) {
        return put(
                upload,
                number,
                content.length,
                writer -> writer.write(content, 0, content.length),
                options,
                ObjectPut.ATTEMPTS_MAX);
    }

    private UploadedPart put(
            Upload upload, int number, long length, ContentPut.Content content, PutOptions options, int attempts) {
        Subject subject = subject(upload);
        checkNumber(number, subject);
        requireNoPrecondition(options, subject);
        UploadName name = name(upload);
        ContentPut.Stored stored = new ContentPut(
                        client,
                        volume,
                        subject,
                        options,
                        false,
                        attributes -> new ObjectPut.PartTarget(name, number, attributes))
                .put(length, content, attempts);
        return part(number, stored.reply(), stored.attributes(), subject);
    }

    @Override
    public UploadedPart copy(Upload upload, int number, ObjectSlice slice, PutOptions options) {
        Subject subject = subject(upload);
        requireNoPrecondition(options, subject);
        checkNumber(number, subject);
        requirePlain(List.of(slice));
        ObjectAttributes attributes = new FinalAttributes(options, subject).get();
        Reply reply =
                client.execute(new Command.CopyPart(name(upload), number, List.of(range(slice)), attributes), subject);
        if (RemoteBucket.isOtherVolume(reply)) {
            return copyBytes(upload, number, slice, attributes);
        }
        return part(number, RefusalExceptions.expect(Reply.PartStored.class, reply, subject), attributes, subject);
    }

    private UploadedPart copyBytes(Upload upload, int number, ObjectSlice slice, ObjectAttributes attributes) {
        Bucket source = EncryptedBucket.stored(client.bucket(slice.bucket()));
        ObjectInfo object = source.head(slice.key(), slice.version());
        long left = object.length() - slice.offset();
        if (left < 0 || (slice.length() != ObjectSlice.TO_END && slice.length() > left)) {
            throw new InvalidRequestException(
                    "the slice ends behind the " + object.length() + " bytes of the object",
                    Subject.key(slice.bucket(), slice.key()));
        }
        long count = Math.min(left, slice.length());
        PutOptions options = PutOptions.DEFAULT
                .withContentType(attributes.contentType())
                .withAllTags(attributes.tags())
                .withProperties(attributes.properties())
                .withExpectedLength(count);
        GetOptions part = GetOptions.DEFAULT.withVersion(object.version()).withRange(slice.offset(), count);
        try (InputStream content = source.get(slice.key(), part)) {
            return put(upload, number, content, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private UploadedPart copy(Upload upload, int number, List<ObjectRange> slices, ObjectAttributes attributes) {
        Subject subject = subject(upload);
        checkNumber(number, subject);
        Reply.PartStored stored = client.execute(
                Reply.PartStored.class, new Command.CopyPart(name(upload), number, slices, attributes), subject);
        return part(number, stored, attributes, subject);
    }

    @Override
    public PartPage parts(Upload upload, int afterNumber, int limit) {
        Subject subject = subject(upload);
        if (afterNumber != 0) {
            checkNumber(afterNumber, subject);
        }
        checkLimit(limit, subject);
        Reply.PartList list = client.query(
                Reply.PartList.class,
                new Query.ListParts(name(upload), afterNumber, limit),
                subject,
                BulwarkClient.noDeadline());
        return new PartPage(
                list.parts().stream()
                        .map(part -> new UploadedPart(
                                new PartId(part.number(), part.inode()),
                                part.length(),
                                Instant.ofEpochMilli(part.storedMillis()),
                                part.attributes()))
                        .toList(),
                list.more());
    }

    @Override
    public UploadPage list(String prefix, String afterKey, long afterUpload, int limit) {
        Subject subject = Subject.bucket(bucket.name());
        checkLimit(limit, subject);
        Reply.UploadList list = client.query(
                Reply.UploadList.class,
                new Query.ListUploads(bucket.name(), prefix, afterKey, afterUpload, limit),
                subject,
                BulwarkClient.noDeadline());
        return new UploadPage(list.uploads().stream().map(this::upload).toList(), list.more());
    }

    @Override
    public Upload find(String key, long id) {
        bucket.checkKey(key);
        return upload(client.query(
                        Reply.UploadFound.class,
                        new Query.FindUpload(new UploadName(bucket.name(), key, id)),
                        bucket.subject(key),
                        BulwarkClient.noDeadline())
                .upload());
    }

    @Override
    public ObjectInfo complete(Upload upload, List<PartId> parts, PutOptions options) {
        Subject subject = subject(upload);
        PartSelection selection;
        try {
            selection = PartSelection.of(parts.stream()
                    .map(part -> new PartSelection.Part(part.number(), part.id()))
                    .toList());
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(
                    "the parts are named by ascending numbers from 1 to " + PartId.NUMBER_MAX + ": " + e.getMessage(),
                    subject,
                    e);
        }
        Command complete = new Command.CompleteUpload(
                name(upload),
                selection,
                options.precondition().condition(),
                new FinalAttributes(options, subject).get());
        Reply reply = client.execute(complete, subject);
        for (int attempt = 1; attempt < ATTEMPTS_MAX && isSessionLost(reply); attempt++) {
            reply = client.execute(complete, subject);
        }
        return made(upload.key(), RefusalExceptions.expect(Reply.ObjectStored.class, reply, subject));
    }

    private static boolean isSessionLost(Reply reply) {
        return reply instanceof Reply.Failed failed
                && (SessionCommands.isLost(failed) || SessionCommands.mayBeExecuted(failed));
    }

    @Override
    public void abort(Upload upload) {
        client.execute(Reply.Done.class, new Command.AbortUpload(name(upload)), subject(upload));
    }

    /** Composes in one command, or in the parts of an upload if that has no room for all slices. */
    ObjectInfo compose(String key, List<ObjectSlice> slices, PutOptions options) {
        Subject subject = bucket.subject(key);
        if (slices.isEmpty()) {
            throw new InvalidRequestException("an object is composed of one slice or more", subject);
        }
        requirePlain(slices);
        List<List<ObjectRange>> commands = commands(slices);
        if (commands.size() > 1) {
            return composeInParts(key, commands, options);
        }
        Command compose = new Command.ComposeObject(
                bucket.name(),
                key,
                options.precondition().condition(),
                commands.getFirst(),
                new FinalAttributes(options, subject).get(),
                options.lock());
        return made(key, client.execute(Reply.ObjectStored.class, compose, subject));
    }

    /** Refuses sealed bytes, which nobody could open elsewhere than in their object. */
    private void requirePlain(List<ObjectSlice> slices) {
        Set<Query.FindObject> sources = new LinkedHashSet<>();
        slices.forEach(slice -> sources.add(new Query.FindObject(slice.bucket(), slice.key(), slice.version())));
        for (Query.FindObject source : sources) {
            Subject subject = Subject.key(source.bucket(), source.key());
            Reply.ObjectFound found =
                    client.query(Reply.ObjectFound.class, source, subject, BulwarkClient.noDeadline());
            if (found.attributes().properties().containsKey(ObjectEncryption.PROPERTY)) {
                throw new InvalidRequestException(
                        "it is encrypted by a client, so that its bytes cannot become part of another object; read it"
                                + " with its key and put the content",
                        subject);
            }
        }
    }

    private ObjectInfo composeInParts(String key, List<List<ObjectRange>> commands, PutOptions options) {
        Upload upload = begin(key, options.withPrecondition(Precondition.NONE));
        boolean completing = false;
        try {
            List<PartId> parts = new ArrayList<>();
            for (List<ObjectRange> slices : commands) {
                parts.add(copy(upload, parts.size() + 1, slices, ObjectAttributes.NONE)
                        .id());
            }
            completing = true;
            return complete(upload, parts, PutOptions.DEFAULT.withPrecondition(options.precondition()));
        } catch (RuntimeException e) {
            // An upload whose completion has no known outcome may be an object already.
            if (!completing || !(e instanceof UnavailableException)) {
                abortQuietly(upload, e);
            }
            throw e;
        }
    }

    private void abortQuietly(Upload upload, RuntimeException cause) {
        try {
            abort(upload);
        } catch (RuntimeException e) {
            cause.addSuppressed(e);
        }
    }

    private static List<List<ObjectRange>> commands(List<ObjectSlice> slices) {
        List<List<ObjectRange>> commands = new ArrayList<>();
        int bytes = SLICES_BYTES_MAX;
        for (ObjectSlice slice : slices) {
            int added = SLICE_BYTES + utf8(slice.bucket()) + utf8(slice.key());
            if (bytes + added > SLICES_BYTES_MAX || commands.getLast().size() == Command.SLICES_MAX) {
                commands.add(new ArrayList<>());
                bytes = 0;
            }
            commands.getLast().add(range(slice));
            bytes += added;
        }
        return commands;
    }

    private static int utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /** Describes an object that was made. The answer of the state machine has no attributes and no length. */
    private ObjectInfo made(String key, Reply.ObjectStored stored) {
        try {
            return bucket.head(key, stored.version());
        } catch (NoSuchKeyException e) {
            throw new NoSuchKeyException(
                    "the object was made as version " + stored.version() + ", and was replaced or deleted since",
                    bucket.subject(key),
                    e);
        }
    }

    private Upload upload(Reply.UploadEntry entry) {
        return new Upload(
                bucket.name(),
                entry.key(),
                entry.upload(),
                Instant.ofEpochMilli(entry.begunMillis()),
                entry.attributes(),
                entry.lock());
    }

    private static UploadedPart part(int number, Reply.Stored stored, ObjectAttributes attributes, Subject subject) {
        if (!(stored instanceof Reply.PartStored part)) {
            throw new UnavailableException("the reply of the replicas does not match the request: " + stored, subject);
        }
        return new UploadedPart(
                new PartId(number, part.inode()), part.length(), Instant.ofEpochMilli(part.storedMillis()), attributes);
    }

    private UploadName name(Upload upload) {
        if (!upload.bucket().equals(bucket.name())) {
            throw new InvalidRequestException(
                    "the upload is one of bucket " + upload.bucket(), Subject.bucket(bucket.name()));
        }
        bucket.checkKey(upload.key());
        if (upload.id() < 1) {
            throw new InvalidRequestException("upload " + upload.id(), subject(upload));
        }
        return new UploadName(upload.bucket(), upload.key(), upload.id());
    }

    private static ObjectRange range(ObjectSlice slice) {
        return new ObjectRange(slice.bucket(), slice.key(), slice.version(), slice.offset(), slice.length());
    }

    private Subject subject(Upload upload) {
        return bucket.subject(upload.key());
    }

    private static void requireNoPrecondition(PutOptions options, Subject subject) {
        if (!options.precondition().equals(Precondition.NONE)) {
            throw new InvalidRequestException("the precondition of an upload is that of its completion", subject);
        }
    }

    private static void checkNumber(int number, Subject subject) {
        if (number < 1 || number > PartId.NUMBER_MAX) {
            throw new InvalidRequestException(
                    "part " + number + ": the numbers are 1 to " + PartId.NUMBER_MAX, subject);
        }
    }

    private static void checkLimit(int limit, Subject subject) {
        if (limit < 1 || limit > Query.PAGE_MAX) {
            throw new InvalidRequestException("a page of " + limit + ": ask for 1 to " + Query.PAGE_MAX, subject);
        }
    }
}
