package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.CopyOptions;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.VersionState;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The objects of a bucket in memory, for what transfers ask of it. Any other call fails. It counts the bytes that are read, and can break
 * reads off.
 */
final class MemoryBucket implements InvocationHandler {
    private static final int CHUNK_BYTES = 1 << 20;

    /** All buckets of a cluster take their versions and times from one order. */
    private static final AtomicLong VERSIONS = new AtomicLong();

    private final String name;
    private final ConcurrentSkipListMap<String, Stored> objects = new ConcurrentSkipListMap<>();
    private final AtomicLong bytesRead = new AtomicLong();
    private final MemoryUploads uploads = new MemoryUploads(this);
    private volatile long readableBytes = Long.MAX_VALUE;
    private volatile @Nullable String refusedKey;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Stored(ObjectInfo info, byte[] content) {}

    MemoryBucket(String name) {
        this.name = name;
    }

    Bucket bucket() {
        return (Bucket) Proxy.newProxyInstance(Bucket.class.getClassLoader(), new Class<?>[] {Bucket.class}, this);
    }

    ObjectInfo put(String key, byte[] content, Map<String, String> properties) {
        long version = VERSIONS.incrementAndGet();
        ObjectInfo info = new ObjectInfo(
                name,
                key,
                version,
                content.length,
                Instant.ofEpochMilli(1_700_000_000_000L + version),
                state(properties),
                List.of());
        objects.put(key, new Stored(info, content.clone()));
        return info;
    }

    static VersionState state(Map<String, String> properties) {
        return VersionState.ofMarker(false)
                .withAttributes(new ObjectAttributes("", new TreeMap<>(), new TreeMap<>(properties)));
    }

    ObjectInfo put(String key, String content) {
        return put(key, content.getBytes(StandardCharsets.UTF_8), Map.of());
    }

    void remove(String key) {
        objects.remove(key);
    }

    List<String> keys() {
        return new ArrayList<>(objects.keySet());
    }

    ObjectInfo info(String key) {
        return found(key).info();
    }

    String text(String key) {
        return new String(found(key).content(), StandardCharsets.UTF_8);
    }

    MemoryUploads uploads() {
        return uploads;
    }

    String name() {
        return name;
    }

    /** Puts of this key fail from now on. */
    void refuse(String key) {
        refusedKey = key;
    }

    /** From now on, each read fails behind so many bytes. */
    void breakReadsAfter(long bytes) {
        readableBytes = bytes;
    }

    long bytesRead() {
        return bytesRead.get();
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Object[] given = arguments == null ? new Object[0] : arguments;
        return switch (method.getName()) {
            case "name", "toString" -> name;
            case "isEncrypting" -> false;
            case "uploads" -> uploads;
            case "stream" -> stream((String) given[0]);
            case "head" -> found((String) given[0]).info();
            case "delete" -> {
                found((String) given[0]);
                objects.remove((String) given[0]);
                yield null;
            }
            case "copy" ->
                given.length == 5
                        ? copy((String) given[0], (Long) given[1], (CopyOptions) given[4])
                        : copy((String) given[0], (Bucket) given[1], (String) given[2]);
            case "put" -> put(given);
            case "readTo" -> readTo((String) given[0], (OutputStream) given[1], (GetOptions) given[2]);
            default -> throw new UnsupportedOperationException(method.toString());
        };
    }

    private Stream<ObjectInfo> stream(String prefix) {
        return new ArrayList<>(objects.values())
                .stream().map(Stored::info).filter(info -> info.key().startsWith(prefix));
    }

    private Stored found(String key) {
        Stored stored = objects.get(key);
        if (stored == null) {
            throw new NoSuchKeyException("there is no such object", Subject.key(name, key));
        }
        return stored;
    }

    private ObjectInfo copy(String key, Bucket target, String targetKey) {
        Stored stored = found(key);
        MemoryBucket other = (MemoryBucket) Proxy.getInvocationHandler(target);
        return other.put(targetKey, stored.content(), stored.info().properties());
    }

    /** Gives an object other attributes. */
    private ObjectInfo copy(String key, long version, CopyOptions options) {
        Stored stored = found(key);
        if (stored.info().version() != version) {
            throw new PreconditionFailedException("another version", Subject.key(name, key));
        }
        return put(key, stored.content(), options.attributes().orElseThrow().properties());
    }

    private ObjectInfo put(Object... given) throws IOException {
        String key = (String) given[0];
        if (key.equals(refusedKey)) {
            throw new UnavailableException("too few nodes", Subject.key(name, key));
        }
        PutOptions options = (PutOptions) given[2];
        byte[] content = given[1] instanceof Path file ? Files.readAllBytes(file) : (byte[]) given[1];
        options.progress().onProgress(content.length, content.length);
        return put(key, content, options.properties());
    }

    private ObjectInfo readTo(String key, OutputStream target, GetOptions options) {
        Stored stored = found(key);
        if (options.version() != 0 && options.version() != stored.info().version()) {
            throw new NoSuchKeyException("there is no such version", Subject.key(name, key));
        }
        long end = Math.min(stored.content().length, options.offset() + Math.min(options.length(), 1L << 40));
        long readable = readableBytes;
        try {
            for (long at = options.offset(); at < end; ) {
                int count = (int) Math.min(Math.min(CHUNK_BYTES, end - at), readable);
                if (count == 0) {
                    throw new UnavailableException("too few nodes", Subject.key(name, key));
                }
                target.write(stored.content(), (int) at, count);
                bytesRead.addAndGet(count);
                at += count;
                readable -= count;
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write: " + e.getMessage(), e);
        }
        return stored.info();
    }
}
