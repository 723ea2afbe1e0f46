package io.bulwark.console;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.CopyOptions;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.DeletedObject;
import io.bulwark.client.FragmentMap;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectOutputStream;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.ObjectSlice;
import io.bulwark.client.Precondition;
import io.bulwark.client.PutOptions;
import io.bulwark.client.StoredObject;
import io.bulwark.client.Uploads;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.VersionListOptions;
import io.bulwark.client.VersionPage;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.KeyMissingException;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.extent.FragmentSurvey;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.BucketSettings;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A bucket in memory, for keys whose order as text is that of their bytes. Reads of single objects can be made to fail. */
public final class MemoryBucket implements Bucket {
    private final BucketSpec spec;
    private final LongSupplier versions;
    private final SortedMap<String, List<Stored>> objects = new TreeMap<>();
    private final Map<String, Integer> failures = new HashMap<>();
    private final AtomicInteger aborts = new AtomicInteger();
    private final SortedMap<String, BucketDocument> documents = new TreeMap<>();
    private BucketSettings settings;

    /** A version; the newest is the last of its list. A delete marker has no info. */
    private record Stored(
            long version, Bytes content, @Nullable ObjectInfo info) {}

    MemoryBucket(BucketSpec spec, LongSupplier versions) {
        this.spec = spec;
        this.versions = versions;
        this.settings = new BucketSettings(
                spec.keepVersions() ? Versioning.KEEP_ALL : Versioning.LATEST_ONLY,
                spec.quotaBytes(),
                spec.objectLock(),
                DefaultRetention.NONE);
    }

    /** Makes reads of this object fail behind so many bytes. */
    public void failAfter(String key, int bytes) {
        failures.put(key, bytes);
    }

    /** Returns the number of uploads that were given up. */
    public int aborts() {
        return aborts.get();
    }

    /** Returns the keys of all objects. */
    public synchronized List<String> keys() {
        return objects.keySet().stream().filter(key -> latest(key) != null).toList();
    }

    @Override
    public String name() {
        return spec.name();
    }

    @Override
    public void lock(String prefix) {
        // Nobody else uses a bucket in memory.
    }

    @Override
    public void unlock(String prefix) {
        // Nothing is locked.
    }

    @Override
    public synchronized BucketInfo info() {
        long bytes = objects.values().stream()
                .flatMap(List::stream)
                .mapToLong(stored -> stored.content.length())
                .sum();
        return new BucketInfo(
                spec.name(), spec.volume(), PrincipalId.client(0), settings, objects.size(), bytes, MemoryCluster.NOW);
    }

    @Override
    public ObjectInfo put(String key, InputStream content, PutOptions options) {
        try {
            return put(key, content.readAllBytes(), options);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ObjectInfo put(String key, ReadableByteChannel content, PutOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ObjectInfo put(String key, Path file, PutOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized ObjectInfo put(String key, byte[] content, PutOptions options) {
        check(key);
        check(key, options.precondition());
        ObjectInfo info = new ObjectInfo(
                name(),
                key,
                versions.getAsLong(),
                content.length,
                MemoryCluster.NOW,
                new VersionState(
                        !keepsVersions(),
                        new ObjectAttributes(options.contentType(), options.tags(), options.properties()),
                        options.lock()),
                List.of());
        add(key, new Stored(info.version(), Bytes.of(content), info));
        return info;
    }

    private void add(String key, Stored stored) {
        List<Stored> all = objects.computeIfAbsent(key, _ -> new ArrayList<>());
        if (!keepsVersions()) {
            all.clear();
        }
        all.add(stored);
    }

    private void check(String key, Precondition precondition) {
        Stored latest = latest(key);
        boolean right = switch (precondition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> latest == null;
            case IF_VERSION -> latest != null && latest.version == precondition.version();
            case IF_PRESENT -> latest != null && latest.info != null;
            case IF_PROPERTY ->
                latest != null
                        && latest.info != null
                        && precondition.value().equals(latest.info.properties().get(precondition.property()));
        };
        if (!right) {
            throw new PreconditionFailedException("the object is not in the required state", subject(key));
        }
    }

    @Override
    public ObjectOutputStream newOutputStream(String key, PutOptions options) {
        check(key);
        return new MemoryStream(key, options);
    }

    private final class MemoryStream extends ObjectOutputStream {
        private final String key;
        private final PutOptions options;
        private final ByteArrayOutputStream written = new ByteArrayOutputStream();
        private boolean closed;
        private @Nullable ObjectInfo result;

        MemoryStream(String key, PutOptions options) {
            this.key = key;
            this.options = options;
        }

        @Override
        public void write(byte[] source, int offset, int length) {
            written.write(source, offset, length);
        }

        @Override
        public void write(int value) {
            written.write(value);
        }

        @Override
        public void abort() {
            closed = true;
            aborts.incrementAndGet();
        }

        @Override
        public void close() {
            if (!closed) {
                closed = true;
                result = put(key, written.toByteArray(), options);
            }
        }

        @Override
        public ObjectInfo result() {
            if (result == null) {
                throw new IllegalStateException("the stream was not closed successfully");
            }
            return result;
        }
    }

    @Override
    public InputStream get(String key, GetOptions options) {
        Stored stored = find(key, options.version());
        if (stored.info != null && stored.info.encrypted() && !options.asStored()) {
            throw new KeyMissingException("it is encrypted, and this client has no keys", subject(key));
        }
        int from = (int) Math.min(options.offset(), stored.content.length());
        int to = (int) Math.min(options.length(), (long) stored.content.length() - from) + from;
        Integer failAt = failures.get(key);
        return new ByteArrayInputStream(stored.content.slice(from, to - from).toByteArray()) {
            private int served;

            @Override
            public synchronized int read(byte[] target, int offset, int length) {
                if (failAt != null && served >= failAt) {
                    throw new UnavailableException("too few nodes answer", subject(key));
                }
                int count = super.read(target, offset, failAt == null ? length : Math.min(length, failAt - served));
                served += Math.max(0, count);
                return count;
            }
        };
    }

    @Override
    public StoredObject open(String key, long version) {
        throw new UnsupportedOperationException();
    }

    @Override
    public byte[] getBytes(String key, GetOptions options) {
        try (InputStream content = get(key, options)) {
            return content.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public ObjectInfo readTo(String key, OutputStream target, GetOptions options) {
        byte[] buffer = new byte[1000];
        try (InputStream content = get(key, options)) {
            for (int count = content.read(buffer); count >= 0; count = content.read(buffer)) {
                target.write(buffer, 0, count);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return head(key, options.version());
    }

    @Override
    public ObjectInfo readTo(String key, Path target, GetOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ObjectInfo head(String key, long version) {
        ObjectInfo info = find(key, version).info;
        if (info == null) {
            throw new NoSuchKeyException("this version is a delete marker", subject(key));
        }
        return info;
    }

    private synchronized Stored find(String key, long version) {
        check(key);
        Stored found = version == 0
                ? latest(key)
                : objects.getOrDefault(key, List.of()).stream()
                        .filter(each -> each.version == version)
                        .findFirst()
                        .orElse(null);
        if (found == null) {
            throw new NoSuchKeyException("no such object or version", subject(key));
        }
        return found;
    }

    private synchronized @Nullable Stored latest(String key) {
        List<Stored> all = objects.getOrDefault(key, List.of());
        return all.isEmpty() || all.getLast().info == null ? null : all.getLast();
    }

    /** Each object has one extent on nodes 1 to 4, and node 3 sends corrupt bytes. */
    @Override
    public FragmentMap fragments(String key, long version, long firstExtent, int count) {
        List<FragmentSurvey.Slot> slots = new ArrayList<>();
        for (int slot = 0; slot < 4; slot++) {
            boolean bad = slot == 2;
            slots.add(new FragmentSurvey.Slot(
                    slot,
                    slot + 1,
                    bad ? FragmentSurvey.State.CORRUPT : FragmentSurvey.State.GOOD,
                    bad ? "sent bytes that are not its fragment of this version" : "hash and fingerprint are right"));
        }
        List<FragmentMap.Extent> extents = new ArrayList<>();
        for (long index = firstExtent; index < Math.min(3, firstExtent + count); index++) {
            extents.add(new FragmentMap.Extent(
                    index, 0, 10, "1:client-0.2." + index, 0, 1, FragmentSurvey.Version.READABLE, slots));
        }
        return new FragmentMap(head(key, version), spec.volume(), ProtectionPolicy.standard(), 3, extents);
    }

    @Override
    public synchronized ObjectPage list(ListOptions options) {
        List<ObjectInfo> found = new ArrayList<>();
        TreeSet<String> folders = new TreeSet<>();
        String last = "";
        for (String key : keys()) {
            String prefix = options.prefix();
            if (!key.startsWith(prefix) || key.compareTo(options.continuation()) <= 0) {
                continue;
            }
            int at = options.delimiter().isEmpty() ? -1 : key.indexOf(options.delimiter(), prefix.length());
            String folder =
                    at < 0 ? "" : key.substring(0, at + options.delimiter().length());
            if (found.size() + folders.size() == options.limit() && !folders.contains(folder)) {
                return new ObjectPage(found, List.copyOf(folders), last);
            }
            if (at < 0) {
                found.add(head(key, 0));
            } else {
                folders.add(folder);
            }
            last = key;
        }
        return new ObjectPage(found, List.copyOf(folders), "");
    }

    @Override
    public Stream<ObjectInfo> stream(String prefix) {
        return keys().stream().filter(key -> key.startsWith(prefix)).map(key -> head(key, 0));
    }

    @Override
    public Stream<VersionInfo> versions(String prefix) {
        return versions(prefix, "", 0);
    }

    @Override
    public synchronized Stream<VersionInfo> versions(String prefix, String afterKey, long beforeVersion) {
        List<VersionInfo> all = new ArrayList<>();
        objects.forEach((key, stored) -> {
            if (!key.startsWith(prefix)) {
                return;
            }
            for (Stored each : stored.reversed()) {
                int order = key.compareTo(afterKey);
                if (order > 0 || (order == 0 && each.version < beforeVersion)) {
                    all.add(new VersionInfo(
                            name(),
                            key,
                            each.version,
                            each.version == stored.getLast().version,
                            each.info == null,
                            each.content.length(),
                            MemoryCluster.NOW,
                            each.info == null ? VersionState.ofMarker(false) : each.info.state()));
                }
            }
        });
        return all.stream();
    }

    @Override
    public VersionPage listVersions(VersionListOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public synchronized DeletedObject delete(String key, DeleteOptions options) {
        if (options.version() != 0) {
            Stored found = find(key, options.version());
            Precondition wanted = options.precondition();
            if (wanted.kind() == Precondition.Kind.IF_VERSION && wanted.version() != found.version) {
                throw new PreconditionFailedException("the version is not the required one", subject(key));
            }
            List<Stored> left = objects.getOrDefault(key, List.of());
            left.remove(found);
            if (left.isEmpty()) {
                objects.remove(key);
            }
            return new DeletedObject(found.version, found.info == null, false);
        }
        Stored found = find(key, 0);
        check(key, options.precondition());
        if (!keepsVersions()) {
            objects.remove(key);
            return new DeletedObject(found.version, false, true);
        }
        long marker = versions.getAsLong();
        add(key, new Stored(marker, Bytes.EMPTY, null));
        return new DeletedObject(marker, true, false);
    }

    @Override
    public synchronized void replaceTags(
            String key, long version, SortedMap<String, String> before, SortedMap<String, String> tags) {
        throw new UnsupportedOperationException("the console replaces any tags");
    }

    @Override
    public synchronized void setTags(String key, long version, SortedMap<String, String> tags) {
        Stored found = find(key, version);
        ObjectInfo info = Objects.requireNonNull(found.info);
        VersionState state =
                info.state().withAttributes(info.state().attributes().withTags(tags));
        replace(key, found, state);
    }

    @Override
    public synchronized void setRetention(String key, long version, Retention retention, boolean bypassGovernance) {
        Stored found = find(key, version);
        VersionState state = Objects.requireNonNull(found.info).state();
        replace(
                key,
                found,
                state.withLock(new ObjectLock(retention, state.lock().legalHold())));
    }

    @Override
    public synchronized void setLegalHold(String key, long version, boolean held) {
        Stored found = find(key, version);
        VersionState state = Objects.requireNonNull(found.info).state();
        replace(key, found, state.withLock(new ObjectLock(state.lock().retention(), held)));
    }

    private void replace(String key, Stored found, VersionState state) {
        ObjectInfo old = Objects.requireNonNull(found.info);
        ObjectInfo info = new ObjectInfo(
                old.bucket(), old.key(), old.version(), old.length(), old.modified(), state, old.blocks());
        List<Stored> all = objects.getOrDefault(key, List.of());
        all.set(all.indexOf(found), new Stored(found.version, found.content, info));
    }

    @Override
    public synchronized void update(BucketChange change) {
        settings = new BucketSettings(
                change.versioning().orElse(settings.versioning()),
                change.quotaBytes().orElse(settings.quotaBytes()),
                settings.objectLock() || change.objectLock(),
                change.retention().orElse(settings.retention()));
    }

    @Override
    public synchronized Optional<BucketDocument> setting(String name) {
        return Optional.ofNullable(documents.get(name));
    }

    @Override
    public synchronized List<String> settings() {
        return List.copyOf(documents.keySet());
    }

    @Override
    public synchronized long putSetting(String name, byte[] content, Precondition condition) {
        check(name, condition, documents.get(name));
        long number = versions.getAsLong();
        documents.put(name, new BucketDocument(name, number, content));
        return number;
    }

    @Override
    public synchronized void removeSetting(String name, Precondition condition) {
        check(name, condition, documents.get(name));
        documents.remove(name);
    }

    private void check(String name, Precondition condition, @Nullable BucketDocument found) {
        boolean right = switch (condition.kind()) {
            case NONE -> true;
            case IF_ABSENT -> found == null;
            case IF_PRESENT -> found != null;
            case IF_VERSION -> found != null && found.number() == condition.version();
            case IF_PROPERTY -> false;
        };
        if (!right) {
            throw new PreconditionFailedException("the document is not in the required state", subject(name));
        }
    }

    private boolean keepsVersions() {
        return settings.versioning() == Versioning.KEEP_ALL;
    }

    @Override
    public ObjectInfo copy(String key, long version, Bucket target, String targetKey, CopyOptions options) {
        ObjectInfo source = head(key, version);
        ObjectAttributes attributes = options.attributes().orElse(source.state().attributes());
        return target.put(
                targetKey,
                find(key, version).content.toByteArray(),
                PutOptions.DEFAULT
                        .withContentType(attributes.contentType())
                        .withTags(attributes.tags())
                        .withProperties(attributes.properties())
                        .withPrecondition(options.precondition()));
    }

    @Override
    public ObjectInfo rename(String key, Bucket target, String targetKey, Precondition precondition) {
        ObjectInfo made = copy(key, target, targetKey, precondition);
        delete(key);
        return made;
    }

    @Override
    public ObjectInfo compose(String key, List<ObjectSlice> slices, PutOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Uploads uploads() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <T> CompletableFuture<T> async(Supplier<T> operation) {
        throw new UnsupportedOperationException();
    }

    private void check(String key) {
        Names.problemOfKey(key).ifPresent(problem -> {
            throw new InvalidNameException(problem, subject(key));
        });
    }

    private Subject subject(String key) {
        return Subject.key(name(), key);
    }
}
