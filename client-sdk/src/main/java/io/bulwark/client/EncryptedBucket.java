package io.bulwark.client;

import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.client.encryption.ObjectEncryption;
import io.bulwark.client.encryption.OpeningStream;
import io.bulwark.client.encryption.SealingStream;
import io.bulwark.client.encryption.SegmentCipher;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.object.Retention;
import io.bulwark.transport.file.FileFailure;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * A bucket whose objects are encrypted when they are put and decrypted when they are read. Objects in it that are not encrypted are read
 * as they are. Lengths are those of the plain text.
 */
final class EncryptedBucket implements Bucket {
    private final Bucket stored;
    private final KeyProvider keys;
    private final SecureRandom random = new SecureRandom();

    EncryptedBucket(Bucket stored, KeyProvider keys) {
        this.stored = stored;
        this.keys = keys;
    }

    /** The bucket that servers see. */
    static Bucket stored(Bucket bucket) {
        return bucket instanceof EncryptedBucket encrypted ? encrypted.stored : bucket;
    }

    @Override
    public String name() {
        return stored.name();
    }

    @Override
    public boolean isEncrypting() {
        return true;
    }

    @Override
    public void lock(String prefix) {
        stored.lock(prefix);
    }

    @Override
    public void unlock(String prefix) {
        stored.unlock(prefix);
    }

    @Override
    public BucketInfo info() {
        return stored.info();
    }

    @Override
    public ObjectInfo put(String key, InputStream content, PutOptions options) {
        ObjectEncryption encryption = encryption(key, options);
        return plain(stored.put(key, new SealingStream(content, encryption.cipher()), with(options, encryption)));
    }

    @Override
    public ObjectInfo put(String key, ReadableByteChannel content, PutOptions options) {
        return put(key, Channels.newInputStream(content), options);
    }

    @Override
    public ObjectInfo put(String key, Path file, PutOptions options) {
        return FilePut.of(file, options, Subject.key(name(), key), (content, left) -> put(key, content, left));
    }

    @Override
    public ObjectInfo put(String key, byte[] content, PutOptions options) {
        ObjectEncryption encryption = encryption(key, options);
        try (InputStream sealed = new SealingStream(new ByteArrayInputStream(content), encryption.cipher())) {
            return plain(stored.put(key, sealed.readAllBytes(), with(options, encryption)));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ObjectOutputStream newOutputStream(String key, PutOptions options) {
        ObjectEncryption encryption = encryption(key, options);
        return new SealedOutputStream(
                stored.newOutputStream(key, with(options, encryption)), encryption.cipher(), EncryptedBucket::plain);
    }

    @Override
    public InputStream get(String key, GetOptions options) {
        return options.asStored()
                ? stored.get(key, options)
                : open(key, options.version()).content(options);
    }

    @Override
    public StoredObject open(String key, long version) {
        return new OpenableObject(stored.open(key, version));
    }

    private final class OpenableObject implements StoredObject {
        private final StoredObject sealed;

        OpenableObject(StoredObject sealed) {
            this.sealed = sealed;
        }

        @Override
        public ObjectInfo info() {
            return plain(sealed.info());
        }

        @Override
        public InputStream content(GetOptions options) {
            return options.asStored() ? sealed.content(options) : opened(sealed, options);
        }
    }

    private InputStream opened(StoredObject object, GetOptions options) {
        ObjectInfo info = object.info();
        String header = info.properties().get(ObjectEncryption.PROPERTY);
        if (header == null) {
            return object.content(options);
        }
        Subject subject = Subject.key(name(), info.key());
        SegmentCipher cipher = ObjectEncryption.of(header, keys, subject).cipher();
        OpeningStream.Range range = OpeningStream.Range.of(info.length(), options.offset(), options.length(), subject);
        InputStream sealed = object.content(options.withAsStored(true)
                .withRange(range.sealedOffset(), range.sealedLength())
                .withProgress(plain(options.progress())));
        try {
            return new OpeningStream(sealed, cipher, range, subject).checked();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public byte[] getBytes(String key, GetOptions options) {
        if (options.asStored()) {
            return stored.getBytes(key, options);
        }
        StoredObject object = open(key, options.version());
        long length = Math.min(object.info().length(), options.length());
        if (length > Integer.MAX_VALUE - 8) {
            throw new InvalidRequestException(
                    length + " bytes do not fit into an array; read a stream", Subject.key(name(), key));
        }
        try (InputStream content = object.content(options)) {
            return content.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ObjectInfo readTo(String key, OutputStream target, GetOptions options) {
        if (options.asStored()) {
            return stored.readTo(key, target, options);
        }
        StoredObject object = open(key, options.version());
        try (InputStream content = object.content(options)) {
            content.transferTo(target);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot write the data of " + name() + "/" + key + ": " + FileFailure.text(e), e);
        }
        return object.info();
    }

    @Override
    public ObjectInfo readTo(String key, Path target, GetOptions options) {
        return RemoteBucket.written(target, out -> readTo(key, out, options));
    }

    @Override
    public ObjectInfo head(String key, long version) {
        return plain(stored.head(key, version));
    }

    @Override
    public ObjectPage list(ListOptions options) {
        ObjectPage page = stored.list(options);
        return new ObjectPage(
                page.objects().stream().map(EncryptedBucket::plain).toList(),
                page.commonPrefixes(),
                page.continuation());
    }

    @Override
    public Stream<ObjectInfo> stream(String prefix) {
        return stored.stream(prefix).map(EncryptedBucket::plain);
    }

    @Override
    public Stream<VersionInfo> versions(String prefix) {
        return stored.versions(prefix);
    }

    @Override
    public Stream<VersionInfo> versions(String prefix, String afterKey, long beforeVersion) {
        return stored.versions(prefix, afterKey, beforeVersion);
    }

    @Override
    public FragmentMap fragments(String key, long version, long firstExtent, int count) {
        return stored.fragments(key, version, firstExtent, count);
    }

    @Override
    public VersionPage listVersions(VersionListOptions options) {
        return stored.listVersions(options);
    }

    @Override
    public DeletedObject delete(String key, DeleteOptions options) {
        return stored.delete(key, options);
    }

    @Override
    public void setTags(String key, long version, SortedMap<String, String> tags) {
        stored.setTags(key, version, tags);
    }

    @Override
    public void replaceTags(
            String key, long version, SortedMap<String, String> before, SortedMap<String, String> tags) {
        stored.replaceTags(key, version, before, tags);
    }

    @Override
    public void setRetention(String key, long version, Retention retention, boolean bypassGovernance) {
        stored.setRetention(key, version, retention, bypassGovernance);
    }

    @Override
    public void setLegalHold(String key, long version, boolean held) {
        stored.setLegalHold(key, version, held);
    }

    @Override
    public void update(BucketChange change) {
        stored.update(change);
    }

    @Override
    public Optional<BucketDocument> setting(String name) {
        return stored.setting(name);
    }

    @Override
    public List<String> settings() {
        return stored.settings();
    }

    @Override
    public long putSetting(String name, byte[] content, Precondition condition) {
        return stored.putSetting(name, content, condition);
    }

    @Override
    public void removeSetting(String name, Precondition condition) {
        stored.removeSetting(name, condition);
    }

    @Override
    public ObjectInfo copy(String key, long version, Bucket target, String targetKey, CopyOptions options) {
        return plain(stored.copy(key, version, stored(target), targetKey, options));
    }

    @Override
    public ObjectInfo rename(String key, Bucket target, String targetKey, Precondition precondition) {
        return plain(stored.rename(key, stored(target), targetKey, precondition));
    }

    @Override
    public ObjectInfo compose(String key, List<ObjectSlice> slices, PutOptions options) {
        throw new InvalidRequestException(
                "a client with encryption keys cannot compose objects: each is sealed as a whole; put the content",
                Subject.key(name(), key));
    }

    @Override
    public Uploads uploads() {
        throw new InvalidRequestException(
                "a client with encryption keys cannot upload in parts: each object is sealed as a whole; use put",
                Subject.bucket(name()));
    }

    @Override
    public <T> CompletableFuture<T> async(Supplier<T> operation) {
        return stored.async(operation);
    }

    private ObjectEncryption encryption(String key, PutOptions options) {
        Subject subject = Subject.key(name(), key);
        if (options.properties().containsKey(ObjectEncryption.PROPERTY)) {
            throw new InvalidRequestException("the property " + ObjectEncryption.PROPERTY + " is reserved", subject);
        }
        return ObjectEncryption.fresh(keys, random, subject);
    }

    private static PutOptions with(PutOptions options, ObjectEncryption encryption) {
        SortedMap<String, String> properties = new TreeMap<>(options.properties());
        properties.put(ObjectEncryption.PROPERTY, encryption.header());
        long length = options.expectedLength();
        return options.withProperties(properties)
                .withExpectedLength(length < 0 ? length : SegmentCipher.sealedLength(length))
                .withProgress(plain(options.progress()));
    }

    private static ObjectInfo plain(ObjectInfo info) {
        return info.encrypted() ? info.withLength(SegmentCipher.plainLength(info.length())) : info;
    }

    private static ProgressListener plain(ProgressListener progress) {
        return (done, total) -> progress.onProgress(
                SegmentCipher.plainLength(done), total < 0 ? total : SegmentCipher.plainLength(total));
    }
}
