package io.bulwark.appliance.transfer;

import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectSlice;
import io.bulwark.client.PartId;
import io.bulwark.client.PartPage;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import io.bulwark.client.UploadedPart;
import io.bulwark.client.Uploads;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.object.ObjectAttributes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;

/** The uploads of a {@link MemoryBucket}. It counts the bytes of parts, and can refuse a part. */
final class MemoryUploads implements Uploads {
    private static final AtomicLong IDS = new AtomicLong();

    private final MemoryBucket bucket;
    private final ConcurrentSkipListMap<Long, Upload> uploads = new ConcurrentSkipListMap<>();
    private final Map<Long, NavigableMap<Integer, Part>> parts = new ConcurrentSkipListMap<>();
    private final AtomicLong bytesPut = new AtomicLong();
    private volatile int refusedPart;

    @SuppressWarnings("ArrayRecordComponent") // Never compared.
    private record Part(UploadedPart info, byte[] content) {}

    MemoryUploads(MemoryBucket bucket) {
        this.bucket = bucket;
    }

    /** Puts of parts of this number fail from now on; 0 for none. */
    void refuse(int number) {
        refusedPart = number;
    }

    long bytesPut() {
        return bytesPut.get();
    }

    int size() {
        return uploads.size();
    }

    @Override
    public Upload begin(String key, PutOptions options) {
        Upload upload = new Upload(
                bucket.name(),
                key,
                IDS.incrementAndGet(),
                Instant.EPOCH,
                new ObjectAttributes(options.contentType(), options.tags(), options.properties()),
                options.lock());
        uploads.put(upload.id(), upload);
        parts.put(upload.id(), new TreeMap<>());
        return upload;
    }

    @Override
    public UploadedPart put(Upload upload, int number, InputStream content, PutOptions options) {
        if (number == refusedPart) {
            throw new UnavailableException("too few nodes", Subject.key(bucket.name(), upload.key()));
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            content.transferTo(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return put(upload, number, bytes.toByteArray(), options);
    }

    @Override
    public UploadedPart put(Upload upload, int number, byte[] content, PutOptions options) {
        UploadedPart part = new UploadedPart(
                new PartId(number, IDS.incrementAndGet()), content.length, Instant.EPOCH, ObjectAttributes.NONE);
        found(upload).put(number, new Part(part, content));
        bytesPut.addAndGet(content.length);
        return part;
    }

    private NavigableMap<Integer, Part> found(Upload upload) {
        NavigableMap<Integer, Part> found = parts.get(upload.id());
        if (found == null) {
            throw new NoSuchUploadException("no such upload", Subject.key(bucket.name(), upload.key()));
        }
        return found;
    }

    @Override
    public UploadedPart copy(Upload upload, int number, ObjectSlice slice, PutOptions options) {
        throw new UnsupportedOperationException();
    }

    @Override
    public PartPage parts(Upload upload, int afterNumber, int limit) {
        return new PartPage(
                found(upload).tailMap(afterNumber, false).values().stream()
                        .map(Part::info)
                        .toList(),
                false);
    }

    @Override
    public UploadPage list(String prefix, String afterKey, long afterUpload, int limit) {
        return new UploadPage(
                uploads.values().stream()
                        .filter(upload -> upload.key().startsWith(prefix))
                        .toList(),
                false);
    }

    @Override
    public Upload find(String key, long id) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ObjectInfo complete(Upload upload, List<PartId> named, PutOptions options) {
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        for (PartId id : named) {
            Part part = found(upload).get(id.number());
            if (part == null || !part.info().id().equals(id)) {
                throw new NoSuchUploadException("no such part", Subject.key(bucket.name(), upload.key()));
            }
            content.writeBytes(part.content());
        }
        abort(upload);
        return bucket.put(
                upload.key(), content.toByteArray(), upload.attributes().properties());
    }

    @Override
    public void abort(Upload upload) {
        found(upload);
        uploads.remove(upload.id());
        parts.remove(upload.id());
    }
}
