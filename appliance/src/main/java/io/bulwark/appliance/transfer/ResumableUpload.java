package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PartId;
import io.bulwark.client.PartPage;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import io.bulwark.client.UploadedPart;
import io.bulwark.client.Uploads;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.object.RetryableException;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.transport.file.FileChangedException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Puts a large file in parts, and continues an upload that an earlier attempt left. That is the one of the same key whose attributes name
 * the same times and the same SHA-256. The file has been read for this digest before, so that the parts are those of the same content.
 */
final class ResumableUpload {
    /** Length from which a broken upload leaves its parts. */
    static final long RESUMABLE_BYTES = 64L << 20;

    private static final long PART_BYTES_MIN = 32L << 20;
    private static final int PAGE = 1000;
    private static final int ATTEMPTS_MAX = 3;

    private final Bucket bucket;
    private final Uploads uploads;

    /** Returns the options of the next part, whose progress is watched. */
    interface PartOptions {
        PutOptions next();
    }

    ResumableUpload(Bucket bucket) {
        this.bucket = bucket;
        this.uploads = bucket.uploads();
    }

    /**
     * Puts the file.
     *
     * @param options whose properties name the file's SHA-256 and the time of its inode's change
     * @throws FileChangedException if the file changed meanwhile; nothing is left then
     * @throws IOException if the file cannot be read
     */
    ObjectInfo put(TreeFile file, String key, PutOptions options, PartOptions partOptions, TransferListener listener)
            throws IOException {
        Upload upload = find(key, options).orElseGet(() -> uploads.begin(key, unconditional(options)));
        try {
            List<PartId> parts = putParts(upload, file, partOptions, listener);
            if (!file.isUnchanged()) {
                throw new FileChangedException(file.file().toString(), "it changed");
            }
            return uploads.complete(upload, parts, PutOptions.DEFAULT.withPrecondition(options.precondition()));
        } catch (FileChangedException e) {
            uploads.abort(upload);
            throw e;
        } catch (NoSuchUploadException e) {
            ObjectInfo there = bucket.head(key);
            if (there.properties().equals(options.properties())) {
                return there; // Another process has completed the same upload.
            }
            throw e;
        }
    }

    private static PutOptions unconditional(PutOptions options) {
        return PutOptions.DEFAULT
                .withContentType(options.contentType())
                .withAllTags(options.tags())
                .withProperties(options.properties())
                .withLock(options.lock());
    }

    private Optional<Upload> find(String key, PutOptions options) {
        ObjectAttributes attributes = new ObjectAttributes(options.contentType(), options.tags(), options.properties());
        String afterKey = "";
        long afterUpload = 0;
        while (true) {
            UploadPage page;
            try {
                page = uploads.list(key, afterKey, afterUpload, PAGE);
            } catch (NotPermittedException e) {
                return Optional.empty(); // Somebody who may write need not be allowed to read.
            }
            for (Upload upload : page.uploads()) {
                if (upload.key().equals(key) && upload.attributes().equals(attributes)) {
                    return Optional.of(upload);
                }
            }
            // Longer keys come behind this one.
            if (!page.more() || !page.uploads().getLast().key().equals(key)) {
                return Optional.empty();
            }
            afterKey = key;
            afterUpload = page.uploads().getLast().id();
        }
    }

    private List<PartId> putParts(Upload upload, TreeFile file, PartOptions options, TransferListener listener)
            throws IOException {
        Map<Integer, UploadedPart> there = parts(upload);
        long partBytes = partBytes(file.bytes());
        List<PartId> parts = new ArrayList<>();
        for (long from = 0; from < file.bytes(); from += partBytes) {
            int number = parts.size() + 1;
            long length = Math.min(partBytes, file.bytes() - from);
            UploadedPart part = there.get(number);
            if (part != null && part.length() == length) {
                listener.onBytes(length);
            } else {
                part = putPart(upload, number, file.file(), from, length, options);
            }
            parts.add(part.id());
        }
        return parts;
    }

    private Map<Integer, UploadedPart> parts(Upload upload) {
        Map<Integer, UploadedPart> parts = new TreeMap<>();
        int last = 0;
        while (true) {
            PartPage page = uploads.parts(upload, last, PAGE);
            for (UploadedPart part : page.parts()) {
                parts.put(part.number(), part);
                last = part.number();
            }
            if (!page.more() || page.parts().isEmpty()) {
                return parts;
            }
        }
    }

    private UploadedPart putPart(Upload upload, int number, Path file, long from, long length, PartOptions options)
            throws IOException {
        for (int attempt = 1; ; attempt++) {
            try (InputStream content = slice(file, from, length)) {
                return uploads.put(upload, number, content, options.next());
            } catch (UnavailableException e) {
                if (attempt == ATTEMPTS_MAX || !(e.getCause() instanceof RetryableException)) {
                    throw e;
                }
            }
        }
    }

    /** Returns a length of parts that depends on nothing but the file's, and needs no more parts than there may be. */
    static long partBytes(long fileBytes) {
        long needed = Math.ceilDiv(fileBytes, PartId.NUMBER_MAX);
        return Math.ceilDiv(Math.max(PART_BYTES_MIN, needed), PART_BYTES_MIN) * PART_BYTES_MIN;
    }

    private static InputStream slice(Path file, long from, long length) throws IOException {
        FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        return new InputStream() {
            private long at = from;

            @Override
            public int read() throws IOException {
                byte[] one = new byte[1];
                return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
            }

            @Override
            public int read(byte[] target, int offset, int count) throws IOException {
                long left = from + length - at;
                if (left == 0) {
                    return -1;
                }
                int read = channel.read(ByteBuffer.wrap(target, offset, (int) Math.min(left, count)), at);
                if (read < 0) {
                    throw new FileChangedException(file.toString(), "it became shorter");
                }
                at += read;
                return read;
            }

            @Override
            public void close() throws IOException {
                channel.close();
            }
        };
    }
}
