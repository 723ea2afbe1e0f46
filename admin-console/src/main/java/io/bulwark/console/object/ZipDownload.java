package io.bulwark.console.object;

import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.http.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Several objects as one archive, written as they are read. The archive does not compress, so that it costs no time and
 * the hash of each file is known only behind its bytes. An object that cannot be read ends the archive broken: without
 * its directory no program takes it for whole.
 */
final class ZipDownload {
    /** Maximum number of objects in one archive; the command line downloads more. */
    static final int OBJECTS_MAX = 10_000;

    private final Bucket bucket;
    private final boolean asStored;
    private final Map<String, ObjectInfo> objects = new LinkedHashMap<>();
    private final Set<String> names = new HashSet<>();

    ZipDownload(Bucket bucket, boolean asStored) {
        this.bucket = bucket;
        this.asStored = asStored;
    }

    /** Returns the archive of the objects and folders that the parameters {@code key} and {@code prefix} name. */
    static ZipDownload of(Bucket bucket, String base, boolean asStored, HttpServletRequest request) {
        ZipDownload archive = new ZipDownload(bucket, asStored);
        for (String each : values(request, "key")) {
            archive.addObject(each, base);
        }
        for (String each : values(request, "prefix")) {
            archive.addAll(each, base);
        }
        return archive;
    }

    private static String[] values(HttpServletRequest request, String name) {
        String[] values = request.getParameterValues(name);
        return values == null ? new String[0] : values;
    }

    /** Writes the archive under the name of the folder, or of the bucket. */
    void send(String bucketName, String base, HttpServletResponse response) throws IOException {
        String folder = base.endsWith("/") ? base.substring(0, base.length() - 1) : "";
        send((folder.isEmpty() ? bucketName : folder.substring(folder.lastIndexOf('/') + 1)) + ".zip", response);
    }

    /**
     * Adds the latest version of an object.
     *
     * @param base beginning of keys that the paths in the archive leave out
     */
    void addObject(String key, String base) {
        add(bucket.head(key), base);
    }

    /** Adds all objects whose key begins so. */
    void addAll(String prefix, String base) {
        try (Stream<ObjectInfo> all = bucket.stream(prefix)) {
            all.limit(OBJECTS_MAX + 1L).forEach(object -> add(object, base));
        }
    }

    private void add(ObjectInfo object, String base) {
        if (object.encrypted() && !asStored) {
            throw ApiException.badField(
                    "key",
                    object.key() + " is encrypted with a key that this console does not have; ask for asStored=true");
        }
        if (objects.size() == OBJECTS_MAX) {
            throw ApiException.badField(
                    "key", "more than " + OBJECTS_MAX + " objects; download them with `bulwark sync`");
        }
        String key = object.key();
        objects.put(unique(key.startsWith(base) ? key.substring(base.length()) : key), object);
    }

    /** Different keys may have one safe path. */
    private String unique(String key) {
        String path = FileNames.path(key);
        String name = path;
        for (int copy = 2; !names.add(name); copy++) {
            name = path + "~" + copy;
        }
        return name;
    }

    /** Returns the paths in the archive, in order. */
    List<String> paths() {
        return new ArrayList<>(objects.keySet());
    }

    /** Writes the archive. What fails before the first bytes have left is answered as a problem. */
    void send(String fileName, HttpServletResponse response) throws IOException {
        if (objects.isEmpty()) {
            throw ApiException.notFound("no object was chosen, or none has a key that begins so");
        }
        Download.confine(response, FileNames.of(fileName));
        response.setContentType("application/zip");
        try {
            write(response.getOutputStream());
        } catch (BrokenDownload e) {
            if (!response.isCommitted() && e.getSuppressed()[0] instanceof BulwarkException reason) {
                response.reset();
                throw reason;
            }
            throw e;
        }
    }

    /** Never closes the archive unless it is whole, since closing would write its directory. */
    private void write(OutputStream out) throws IOException {
        @SuppressWarnings("resource")
        ZipOutputStream zip = new ZipOutputStream(out);
        zip.setLevel(Deflater.NO_COMPRESSION);
        for (Map.Entry<String, ObjectInfo> each : objects.entrySet()) {
            ObjectInfo object = each.getValue();
            ZipEntry entry = new ZipEntry(each.getKey());
            entry.setTime(object.modified().toEpochMilli());
            zip.putNextEntry(entry);
            try {
                bucket.readTo(
                        object.key(),
                        zip,
                        GetOptions.DEFAULT.withVersion(object.version()).withAsStored(asStored));
            } catch (UncheckedIOException e) {
                throw new BrokenDownload("the receiver is gone: " + e.getMessage(), e);
            } catch (RuntimeException e) {
                throw new BrokenDownload("the archive was cut: " + e.getMessage(), e);
            }
            zip.closeEntry();
        }
        zip.finish();
        zip.flush();
    }
}
