package io.bulwark.client;

import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Deadline;
import io.bulwark.client.object.ObjectReader;
import io.bulwark.client.object.ObjectWriter;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.client.object.RetryableException;
import io.bulwark.client.object.SessionLostException;
import io.bulwark.client.object.StaleEpochException;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.file.FileFailure;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** A bucket of a connected client. */
final class RemoteBucket implements Bucket {
    private final BulwarkClient client;
    private final String name;
    private final int volumeId;

    RemoteBucket(BulwarkClient client, String name, int volumeId) {
        this.client = client;
        this.name = name;
        this.volumeId = volumeId;
    }

    /** Hands what is to be put to a writer. */
    private interface Content {
        void feed(ObjectWriter writer) throws IOException;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public BucketInfo info() {
        return client.bucketInfo(name);
    }

    @Override
    public ObjectInfo put(String key, InputStream content, PutOptions options) {
        return put(key, -1, writer -> writer.write(content), options, 1);
    }

    @Override
    public ObjectInfo put(String key, ReadableByteChannel content, PutOptions options) {
        return put(key, -1, writer -> writer.write(content), options, 1);
    }

    @Override
    public ObjectInfo put(String key, Path file, PutOptions options) {
        return FilePut.of(
                file,
                options,
                subject(key),
                (content, left) -> put(
                        key,
                        content.length(),
                        writer -> {
                            content.rewind();
                            writer.write(content);
                        },
                        left,
                        ObjectPut.ATTEMPTS_MAX));
    }

    @Override
    public ObjectInfo put(String key, byte[] content, PutOptions options) {
        return put(
                key,
                content.length,
                writer -> writer.write(content, 0, content.length),
                options,
                ObjectPut.ATTEMPTS_MAX);
    }

    @Override
    public ObjectOutputStream newOutputStream(String key, PutOptions options) {
        Deadline deadline = Deadline.in(options.deadline());
        return new WriterStream(
                writer(key, -1, options, deadline),
                stored -> stored(key, stored, options),
                e -> unavailableAfter(e, key, deadline),
                subject(key));
    }

    /**
     * Puts once; again only when nothing has happened yet: in another session if the first was lost, with another map if a
     * placement group has changed.
     */
    private ObjectInfo put(String key, long length, Content content, PutOptions options, int attemptsMax) {
        Deadline deadline = Deadline.in(options.deadline());
        for (int attempt = 1; ; attempt++) {
            ObjectWriter writer = writer(key, length, options, deadline);
            try {
                content.feed(writer);
                long written = writer.length();
                return stored(key, new WriterStream.Stored(writer.finish(), written), options);
            } catch (RetryableException e) {
                UnavailableException inVain = unavailableAfter(e, key, deadline);
                if (attempt >= attemptsMax) {
                    throw inVain;
                }
            } catch (IOException e) {
                throw FilePut.unreadable(subject(key), e);
            } finally {
                writer.abort();
            }
        }
    }

    /** Prepares the next attempt, and returns the exception for the user if there is none. */
    private UnavailableException unavailableAfter(RetryableException e, String key, Deadline deadline) {
        return switch (e) {
            case SessionLostException _ ->
                new UnavailableException("the session was closed during the write; retry the put", subject(key), e);
            case StaleEpochException _ -> {
                client.view().refresh(deadline);
                yield new UnavailableException(
                        "a node was replaced during the write (" + e.getMessage() + "); retry the put",
                        subject(key),
                        e);
            }
        };
    }

    private ObjectWriter writer(String key, long length, PutOptions options, Deadline deadline) {
        checkKey(key);
        ObjectAttributes attributes = attributes(key, options);
        LongConsumer progress = done -> options.progress().onProgress(done, length);
        return new ObjectWriter(
                client.store(),
                client.view().volume(volumeId, subject(key), deadline),
                new ObjectWriter.Target(name, key, condition(options.precondition()), attributes),
                length,
                deadline,
                progress);
    }

    private ObjectAttributes attributes(String key, PutOptions options) {
        try {
            return new ObjectAttributes(options.contentType(), options.tags(), options.properties());
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(String.valueOf(e.getMessage()), subject(key), e);
        }
    }

    private ObjectInfo stored(String key, WriterStream.Stored stored, PutOptions options) {
        return new ObjectInfo(
                name,
                key,
                stored.reply().version(),
                stored.length(),
                Instant.ofEpochMilli(stored.reply().linkedMillis()),
                new VersionState(stored.reply().isNull(), attributes(key, options), stored.reply().lock()),
                List.of());
    }

    @Override
    public InputStream get(String key, GetOptions options) {
        Deadline deadline = Deadline.in(options.deadline());
        Reply.ObjectFound found = find(key, options.version(), deadline);
        return new ReaderStream(reader(key, found, options, deadline), options.progress());
    }

    @Override
    public byte[] getBytes(String key, GetOptions options) {
        Deadline deadline = Deadline.in(options.deadline());
        Reply.ObjectFound found = find(key, options.version(), deadline);
        try (ObjectReader reader = reader(key, found, options, deadline)) {
            if (reader.remaining() > Integer.MAX_VALUE - 8) {
                throw new InvalidRequestException(
                        reader.remaining() + " bytes do not fit into an array; read a stream", subject(key));
            }
            byte[] all = new byte[(int) reader.remaining()];
            int at = 0;
            for (Bytes part = reader.next(); !part.isEmpty(); part = reader.next()) {
                part.copyTo(0, all, at, part.length());
                at += part.length();
                options.progress().onProgress(at, all.length);
            }
            return all;
        }
    }

    @Override
    public ObjectInfo readTo(String key, OutputStream target, GetOptions options) {
        Deadline deadline = Deadline.in(options.deadline());
        Reply.ObjectFound found = find(key, options.version(), deadline);
        try (ObjectReader reader = reader(key, found, options, deadline)) {
            long total = reader.remaining();
            for (Bytes part = reader.next(); !part.isEmpty(); part = reader.next()) {
                target.write(part.array(), part.offset(), part.length());
                options.progress().onProgress(total - reader.remaining(), total);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write the data of " + name + "/" + key + ": " + FileFailure.text(e), e);
        }
        return info(key, found);
    }

    @Override
    public ObjectInfo readTo(String key, Path target, GetOptions options) {
        return written(target, out -> readTo(key, out, options));
    }

    /** Writes the file, and says what hinders that. */
    static ObjectInfo written(Path target, OutputFile.Content<ObjectInfo> content) {
        try {
            return OutputFile.write(target, content);
        } catch (IOException e) {
            String text = e instanceof FileSystemException ? FileFailure.text(e) : target + ": " + FileFailure.cause(e);
            throw new UncheckedIOException("cannot write " + text, e);
        }
    }

    @Override
    public ObjectInfo head(String key, long version) {
        return info(key, find(key, version, Deadline.in(Duration.ZERO)));
    }

    @Override
    public FragmentMap fragments(String key, long version, long firstExtent, int count) {
        Reply.ObjectFound found = find(key, version, BulwarkClient.noDeadline());
        return ObjectFragments.of(client, found, info(key, found), firstExtent, count);
    }

    private ObjectReader reader(String key, Reply.ObjectFound found, GetOptions options, Deadline deadline) {
        if (!options.asStored() && found.attributes().properties().containsKey(ObjectEncryption.PROPERTY)) {
            throw new KeyMissingException(
                    "it is encrypted, and this client has no keys; set encrypt-with", subject(key));
        }
        return new ObjectReader(
                options.salvage() ? client.salvageStore() : client.store(),
                client.view().volume(found.inode().layout().volume(), subject(key), deadline),
                found.inode(),
                subject(key),
                options.offset(),
                options.length(),
                deadline);
    }

    private Reply.ObjectFound find(String key, long version, Deadline deadline) {
        checkKey(key);
        return client.query(Reply.ObjectFound.class, new Query.FindObject(name, key, version), subject(key), deadline);
    }

    @Override
    public ObjectPage list(ListOptions options) {
        return Listing.page(client, name, options);
    }

    @Override
    public Stream<ObjectInfo> stream(String prefix) {
        return Listing.objects(client, name, prefix);
    }

    @Override
    public Stream<VersionInfo> versions(String prefix) {
        return Listing.versions(client, name, prefix, "", 0);
    }

    @Override
    public Stream<VersionInfo> versions(String prefix, String afterKey, long beforeVersion) {
        return Listing.versions(client, name, prefix, afterKey, beforeVersion);
    }

    @Override
    public void delete(String key) {
        delete(key, 0);
    }

    @Override
    public void delete(String key, long version) {
        checkKey(key);
        client.execute(Reply.Deleted.class, new Command.DeleteObject(name, key, version), subject(key));
    }

    @Override
    public ObjectInfo copy(String key, Bucket target, String targetKey, Precondition precondition) {
        checkKey(key);
        checkKey(targetKey);
        Condition condition = condition(precondition);
        Reply reply =
                client.execute(new Command.CopyObject(name, key, 0, target.name(), targetKey, condition), subject(key));
        if (isOtherVolume(reply)) {
            return copyBytes(key, target, targetKey, precondition);
        }
        RefusalExceptions.expect(Reply.ObjectStored.class, reply, subject(key));
        return target.head(targetKey);
    }

    @Override
    public ObjectInfo rename(String key, Bucket target, String targetKey, Precondition precondition) {
        checkKey(key);
        checkKey(targetKey);
        Condition condition = condition(precondition);
        Reply reply =
                client.execute(new Command.RenameObject(name, key, target.name(), targetKey, condition), subject(key));
        if (isOtherVolume(reply)) {
            ObjectInfo copied = copyBytes(key, target, targetKey, precondition);
            delete(key);
            return copied;
        }
        RefusalExceptions.expect(Reply.ObjectStored.class, reply, subject(key));
        return target.head(targetKey);
    }

    private ObjectInfo copyBytes(String key, Bucket target, String targetKey, Precondition precondition) {
        ObjectInfo source = head(key);
        PutOptions options = PutOptions.DEFAULT
                .withContentType(source.contentType())
                .withTags(source.tags())
                .withProperties(source.properties())
                .withPrecondition(precondition);
        GetOptions stored = GetOptions.DEFAULT.withVersion(source.version()).withAsStored(true);
        try (InputStream content = get(key, stored)) {
            return EncryptedBucket.stored(target).put(targetKey, content, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public <T> CompletableFuture<T> async(Supplier<T> operation) {
        return Tasks.start(operation);
    }

    private ObjectInfo info(String key, Reply.ObjectFound found) {
        return new ObjectInfo(
                name,
                key,
                found.version(),
                found.inode().layout().length(),
                Instant.ofEpochMilli(found.linkedMillis()),
                found.state(),
                found.inode().layout().ranges());
    }

    private Subject subject(String key) {
        return Subject.key(name, key);
    }

    private void checkKey(String key) {
        Names.problemOfKey(key).ifPresent(problem -> {
            throw new InvalidNameException(problem, subject(key));
        });
    }

    private static boolean isOtherVolume(Reply reply) {
        return reply instanceof Reply.Failed failed && failed.error() == MetadataError.OTHER_VOLUME;
    }

    private static Condition condition(Precondition precondition) {
        return switch (precondition.kind()) {
            case NONE -> Condition.NONE;
            case IF_ABSENT -> Condition.IF_ABSENT;
            case IF_VERSION -> Condition.ifVersion(precondition.version());
        };
    }
}
