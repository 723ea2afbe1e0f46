package io.bulwark.console.object;

import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.console.http.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ContentDisposition;
import org.springframework.http.HttpHeaders;
import org.springframework.http.InvalidMediaTypeException;
import org.springframework.http.MediaType;

/**
 * Answer with the bytes of one object. Bytes in a bucket are anybody's, and must not run as a page of the console: a
 * browser saves them, shows them only in a sandbox, and takes their type from nowhere else.
 */
final class Download {
    private static final int BUFFER_BYTES = 64 << 10;

    /** Uses by a page of this origin, which its content security policy would allow: browsers say which one it is. */
    private static final Set<String> LOADED = Set.of(
            "script",
            "style",
            "worker",
            "sharedworker",
            "serviceworker",
            "audioworklet",
            "paintworklet",
            "xslt",
            "frame",
            "iframe",
            "object",
            "embed",
            "manifest");

    private final Bucket bucket;
    private final ObjectInfo object;
    private final boolean asStored;

    /** @param asStored whether the bytes of an encrypted object are sent as servers hold them */
    Download(Bucket bucket, ObjectInfo object, boolean asStored) {
        this.bucket = bucket;
        this.object = object;
        this.asStored = asStored;
    }

    /** Sets the headers that keep a browser from running what a bucket has. */
    static void confine(HttpServletResponse response, String fileName) {
        response.setHeader(
                HttpHeaders.CONTENT_DISPOSITION,
                ContentDisposition.attachment()
                        .filename(fileName, StandardCharsets.UTF_8)
                        .build()
                        .toString());
        response.setHeader("Content-Security-Policy", "sandbox; default-src 'none'; frame-ancestors 'none'");
        response.setHeader("X-Content-Type-Options", "nosniff");
        response.setHeader("Cross-Origin-Resource-Policy", "same-origin");
        response.setHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache");
    }

    /** Answers, to HEAD without reading the object. */
    void send(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (LOADED.contains(String.valueOf(request.getHeader("Sec-Fetch-Dest")))) {
            throw ApiException.forbidden("objects are no scripts, styles or frames of a page");
        }
        String tag = VersionTags.of(object.version());
        String ifMatch = request.getHeader(HttpHeaders.IF_MATCH);
        VersionTags.check(ifMatch, tag);
        String ifNoneMatch = request.getHeader(HttpHeaders.IF_NONE_MATCH);
        if (ifNoneMatch != null && VersionTags.matchesWeakly(ifNoneMatch, tag)) {
            response.setHeader(HttpHeaders.ETAG, tag);
            response.setHeader(HttpHeaders.CACHE_CONTROL, "private, no-cache");
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        boolean head = request.getMethod().equals("HEAD");
        ByteRange range = ByteRange.of(head ? null : rangeHeader(request, tag), object.length());
        if (range == null) {
            response.setHeader(HttpHeaders.CONTENT_RANGE, "bytes */" + object.length());
            throw ApiException.unsatisfiableRange("the object has " + object.length() + " bytes");
        }
        if (head) {
            describe(range, tag, response);
            return;
        }
        GetOptions options = GetOptions.DEFAULT
                .withVersion(object.version())
                .withAsStored(asStored)
                .withRange(range.first(), range.length());
        try (InputStream content = bucket.get(object.key(), options)) {
            byte[] buffer = new byte[BUFFER_BYTES];
            // What fails before the first bytes is answered as a problem.
            int count = content.read(buffer);
            describe(range, tag, response);
            copy(content, buffer, count, range.length(), response.getOutputStream());
        }
    }

    private static void copy(InputStream content, byte[] buffer, int first, long length, OutputStream out)
            throws IOException {
        long left = length;
        for (int count = first; count >= 0; count = next(content, buffer)) {
            out.write(buffer, 0, count);
            left -= count;
        }
        if (left != 0) {
            throw new BrokenDownload("the object ended " + left + " bytes early");
        }
    }

    private static int next(InputStream content, byte[] buffer) throws IOException {
        try {
            return content.read(buffer);
        } catch (RuntimeException e) {
            throw new BrokenDownload("the download was cut: " + e.getMessage(), e);
        }
    }

    private static @Nullable String rangeHeader(HttpServletRequest request, String tag) {
        String ifRange = request.getHeader(HttpHeaders.IF_RANGE);
        return ifRange == null || ifRange.trim().equals(tag) ? request.getHeader(HttpHeaders.RANGE) : null;
    }

    private void describe(ByteRange range, String tag, HttpServletResponse response) {
        confine(response, FileNames.of(object.key()));
        response.setStatus(range.partial() ? HttpServletResponse.SC_PARTIAL_CONTENT : HttpServletResponse.SC_OK);
        response.setHeader(HttpHeaders.ETAG, tag);
        response.setDateHeader(HttpHeaders.LAST_MODIFIED, object.modified().toEpochMilli());
        response.setHeader(HttpHeaders.ACCEPT_RANGES, "bytes");
        response.setContentType(mediaType(object.contentType()));
        response.setContentLengthLong(range.length());
        if (range.partial()) {
            response.setHeader(HttpHeaders.CONTENT_RANGE, range.header(object.length()));
        }
    }

    /** Returns the type that the object's writer gave, if it is one. */
    private static String mediaType(String given) {
        try {
            return given.isEmpty()
                    ? MediaType.APPLICATION_OCTET_STREAM_VALUE
                    : MediaType.parseMediaType(given).toString();
        } catch (InvalidMediaTypeException e) {
            return MediaType.APPLICATION_OCTET_STREAM_VALUE;
        }
    }
}
