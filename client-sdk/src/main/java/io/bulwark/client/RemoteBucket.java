package io.bulwark.client;

import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.Deadline;
import io.bulwark.client.object.ObjectReader;
import io.bulwark.client.object.RefusalExceptions;
import io.bulwark.protocol.bucket.ObjectPut;
import io.bulwark.protocol.bucket.ObjectVersion;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataError;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.Retention;
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
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
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

    /** Returns the same bucket with the rights of another view. */
    RemoteBucket seenBy(BulwarkClient view) {
        return new RemoteBucket(view, name, volumeId);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void lock(String prefix) {
        checkPrefix(prefix);
        client.lock(volumeId, new Subtree(name, prefix));
    }

    @Override
    public void unlock(String prefix) {
        checkPrefix(prefix);
        client.unlock(volumeId, new Subtree(name, prefix));
    }

    @Override
    public BucketInfo info() {
        return client.bucketInfo(name);
    }

    @Override
    public ObjectInfo put(String key, InputStream content, PutOptions options) {
        return stored(key, put(key, options).put(options.expectedLength(), writer -> writer.write(content), 1));
    }

    @Override
    public ObjectInfo put(String key, ReadableByteChannel content, PutOptions options) {
        return stored(key, put(key, options).put(options.expectedLength(), writer -> writer.write(content), 1));
    }

    @Override
    public ObjectInfo put(String key, Path file, PutOptions options) {
        return FilePut.of(
                file,
                options,
                subject(key),
                (content, left) -> stored(
                        key,
                        put(key, left)
                                .put(
                                        content.length(),
                                        writer -> {
                                            content.rewind();
                                            writer.write(content);
                                        },
                                        ObjectPut.ATTEMPTS_MAX)));
    }

    @Override
    public ObjectInfo put(String key, byte[] content, PutOptions options) {
        return stored(
                key,
                put(key, options)
                        .put(
                                content.length,
                                writer -> writer.write(content, 0, content.length),
                                ObjectPut.ATTEMPTS_MAX));
    }

    @Override
    public ObjectOutputStream newOutputStream(String key, PutOptions options) {
        return put(key, options).stream(stored -> stored(key, stored));
    }

    private ContentPut put(String key, PutOptions options) {
        checkKey(key);
        Condition condition = options.precondition().condition();
        return new ContentPut(
                client,
                volumeId,
                subject(key),
                options,
                true,
                attributes -> new ObjectPut.Target(name, key, condition, attributes, options.lock()));
    }

    private ObjectInfo stored(String key, ContentPut.Stored stored) {
        if (!(stored.reply() instanceof Reply.ObjectStored reply)) {
            throw new UnavailableException(
                    "the reply of the replicas does not match the request: " + stored.reply(), subject(key));
        }
        return new ObjectInfo(
                name,
                key,
                reply.version(),
                stored.length(),
                Instant.ofEpochMilli(reply.linkedMillis()),
                new VersionState(reply.isNull(), stored.attributes(), reply.lock()),
                List.of());
    }

    @Override
    public InputStream get(String key, GetOptions options) {
        Deadline deadline = Deadline.in(options.deadline());
        Reply.ObjectFound found = find(key, options.version(), deadline);
        return content(key, found, options, deadline);
    }

    @Override
    public StoredObject open(String key, long version) {
        return new FoundObject(key, find(key, version, BulwarkClient.noDeadline()));
    }

    private final class FoundObject implements StoredObject {
        private final String key;
        private final Reply.ObjectFound found;

        FoundObject(String key, Reply.ObjectFound found) {
            this.key = key;
            this.found = found;
        }

        @Override
        public ObjectInfo info() {
            return RemoteBucket.this.info(key, found);
        }

        @Override
        public InputStream content(GetOptions options) {
            return RemoteBucket.this.content(key, found, options, Deadline.in(options.deadline()));
        }
    }

    private InputStream content(String key, Reply.ObjectFound found, GetOptions options, Deadline deadline) {
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
            return info(key, found, reader.blocks());
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write the data of " + name + "/" + key + ": " + FileFailure.text(e), e);
        }
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
                client.view().volume(found.inode().content().volume(), subject(key), deadline),
                ObjectVersion.of(name, key, found),
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
        checkPrefix(options.prefix());
        return Listing.page(client, name, options);
    }

    @Override
    public Stream<ObjectInfo> stream(String prefix) {
        checkPrefix(prefix);
        return Listing.objects(client, name, prefix);
    }

    @Override
    public Stream<VersionInfo> versions(String prefix) {
        return versions(prefix, "", 0);
    }

    @Override
    public Stream<VersionInfo> versions(String prefix, String afterKey, long beforeVersion) {
        checkPrefix(prefix);
        return Listing.versions(client, name, prefix, afterKey, beforeVersion);
    }

    @Override
    public VersionPage listVersions(VersionListOptions options) {
        return Listing.versions(client, name, options);
    }

    @Override
    public DeletedObject delete(String key, DeleteOptions options) {
        checkKey(key);
        Reply.Deleted deleted = client.execute(
                Reply.Deleted.class,
                new Command.DeleteObject(
                        name, key, options.version(), options.precondition().condition(), options.mode()),
                subject(key));
        return new DeletedObject(deleted.version(), deleted.marker(), deleted.isNull());
    }

    @Override
    public void setTags(String key, long version, SortedMap<String, String> tags) {
        ReservedTags.refuse(tags, subject(key));
        checkKey(key);
        ReservedTags.replaceOthers(this, key, version, tags);
    }

    @Override
    public void replaceTags(
            String key, long version, SortedMap<String, String> before, SortedMap<String, String> tags) {
        checkKey(key);
        Command command;
        try {
            command = new Command.SetTags(name, key, version, tags, Optional.of(before));
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(String.valueOf(e.getMessage()), subject(key), e);
        }
        client.execute(Reply.ObjectStored.class, command, subject(key));
    }

    @Override
    public void setRetention(String key, long version, Retention retention, boolean bypassGovernance) {
        checkKey(key);
        client.execute(
                Reply.ObjectStored.class,
                new Command.SetRetention(name, key, version, retention, bypassGovernance),
                subject(key));
    }

    @Override
    public void setLegalHold(String key, long version, boolean held) {
        checkKey(key);
        client.execute(Reply.ObjectStored.class, new Command.SetLegalHold(name, key, version, held), subject(key));
    }

    @Override
    public void update(BucketChange change) {
        client.execute(Reply.Done.class, new Command.UpdateBucket(name, change), Subject.bucket(name));
    }

    @Override
    public Optional<BucketDocument> setting(String document) {
        return client.setting(name, document);
    }

    static Optional<BucketDocument> setting(BulwarkClient client, String name, String document) {
        Reply.DocumentFound found = client.query(
                Reply.DocumentFound.class,
                new Query.FindDocument(name, document),
                Subject.bucket(name),
                BulwarkClient.noDeadline());
        return found.number() == 0
                ? Optional.empty()
                : Optional.of(new BucketDocument(
                        document, found.number(), found.content().toByteArray()));
    }

    @Override
    public List<String> settings() {
        Reply.DocumentList list = client.query(
                Reply.DocumentList.class,
                new Query.ListDocuments(name),
                Subject.bucket(name),
                BulwarkClient.noDeadline());
        return list.documents().stream().map(Reply.DocumentEntry::name).toList();
    }

    @Override
    public long putSetting(String document, byte[] content, Precondition condition) {
        return client.execute(
                        Reply.DocumentStored.class,
                        new Command.PutDocument(name, document, condition.condition(), checkedDocument(name, content)),
                        Subject.bucket(name))
                .number();
    }

    static Bytes checkedDocument(String bucket, byte[] content) {
        if (content.length > BucketDocument.BYTES_MAX) {
            throw new InvalidRequestException(
                    "a document of " + content.length + " bytes, the limit is " + BucketDocument.BYTES_MAX,
                    Subject.bucket(bucket));
        }
        return Bytes.of(content.clone());
    }

    @Override
    public void removeSetting(String document, Precondition condition) {
        client.execute(
                Reply.Done.class,
                new Command.RemoveDocument(name, document, condition.condition()),
                Subject.bucket(name));
    }

    @Override
    public ObjectInfo copy(String key, long version, Bucket target, String targetKey, CopyOptions options) {
        checkKey(key);
        checkKey(targetKey);
        CopyOptions kept = options;
        long pinned = version;
        if (options.attributes().isPresent()) {
            // Without its header nobody could decrypt the copy.
            ObjectInfo source = head(key, version);
            pinned = source.version();
            kept = options.withAttributes(
                    withHeaderOf(source, options.attributes().get()));
        }
        Command copy = new Command.CopyObject(
                name,
                key,
                pinned,
                target.name(),
                targetKey,
                options.precondition().condition(),
                kept.attributes(),
                options.lock());
        Reply reply = client.execute(copy, subject(key));
        if (isOtherVolume(reply)) {
            return copyBytes(key, pinned, target, targetKey, kept);
        }
        Subject made = Subject.key(target.name(), targetKey);
        return made(target, targetKey, RefusalExceptions.expectStored(reply, subject(key), made));
    }

    /** Returns the version that was made, or a later one that has taken its place meanwhile. */
    private static ObjectInfo made(Bucket target, String key, Reply.ObjectStored stored) {
        try {
            return target.head(key, stored.version());
        } catch (NoSuchKeyException e) {
            return target.head(key);
        }
    }

    private static ObjectAttributes withHeaderOf(ObjectInfo source, ObjectAttributes attributes) {
        String header = source.properties().get(ObjectEncryption.PROPERTY);
        if (header == null) {
            return attributes;
        }
        SortedMap<String, String> properties = new TreeMap<>(attributes.properties());
        properties.put(ObjectEncryption.PROPERTY, header);
        return attributes.withProperties(properties);
    }

    @Override
    public ObjectInfo rename(String key, Bucket target, String targetKey, Precondition precondition) {
        checkKey(key);
        checkKey(targetKey);
        Condition condition = precondition.condition();
        Reply reply =
                client.execute(new Command.RenameObject(name, key, target.name(), targetKey, condition), subject(key));
        if (isOtherVolume(reply)) {
            CopyOptions options = CopyOptions.DEFAULT.withPrecondition(precondition);
            ObjectInfo copied = copyBytes(key, 0, target, targetKey, options);
            delete(key);
            return copied;
        }
        Subject made = Subject.key(target.name(), targetKey);
        return made(target, targetKey, RefusalExceptions.expectStored(reply, subject(key), made));
    }

    private ObjectInfo copyBytes(String key, long version, Bucket target, String targetKey, CopyOptions wanted) {
        ObjectInfo source = head(key, version);
        ObjectAttributes attributes = wanted.attributes().orElse(source.state().attributes());
        PutOptions options = PutOptions.DEFAULT
                .withContentType(attributes.contentType())
                .withAllTags(attributes.tags())
                .withProperties(attributes.properties())
                .withLock(wanted.lock())
                .withPrecondition(wanted.precondition());
        GetOptions stored = GetOptions.DEFAULT.withVersion(source.version()).withAsStored(true);
        try (InputStream content = get(key, stored)) {
            return EncryptedBucket.stored(target).put(targetKey, content, options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ObjectInfo compose(String key, List<ObjectSlice> slices, PutOptions options) {
        checkKey(key);
        return remoteUploads().compose(key, slices, options);
    }

    @Override
    public Uploads uploads() {
        return remoteUploads();
    }

    private RemoteUploads remoteUploads() {
        return new RemoteUploads(client, this, volumeId);
    }

    @Override
    public <T> CompletableFuture<T> async(Supplier<T> operation) {
        return Tasks.start(operation);
    }

    /** The blocks of a composition are known only to those who have read it. */
    private ObjectInfo info(String key, Reply.ObjectFound found) {
        return info(key, found, found.inode().content() instanceof ObjectLayout layout ? layout.ranges() : List.of());
    }

    private ObjectInfo info(String key, Reply.ObjectFound found, List<BlockRange> blocks) {
        return new ObjectInfo(
                name,
                key,
                found.version(),
                found.inode().content().length(),
                Instant.ofEpochMilli(found.linkedMillis()),
                found.state(),
                blocks);
    }

    Subject subject(String key) {
        return Subject.key(name, key);
    }

    void checkKey(String key) {
        Names.problemOfKey(key).ifPresent(problem -> {
            throw new InvalidNameException(problem, subject(key));
        });
    }

    private void checkPrefix(String prefix) {
        Names.problemOfPrefix(prefix).ifPresent(problem -> {
            throw new InvalidNameException(problem, subject(prefix));
        });
    }

    static boolean isOtherVolume(Reply reply) {
        return reply instanceof Reply.Failed failed && failed.error() == MetadataError.OTHER_VOLUME;
    }
}
