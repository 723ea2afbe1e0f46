package io.bulwark.appliance.transfer;

import io.bulwark.client.Bucket;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.transport.file.SourceStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The SHA-256 of contents. */
final class ContentDigest {
    private ContentDigest() {}

    /** Returns that of a file at one moment. */
    static String of(Path file) throws IOException {
        return SourceStream.read(file, ContentDigest::of);
    }

    /** Returns that of a file, in one attempt: fails if the file changes during the reading. */
    static String once(Path file) throws IOException {
        try (SourceStream content = SourceStream.open(file)) {
            return of(content);
        }
    }

    private static String of(InputStream content) throws IOException {
        MessageDigest digest = sha256();
        content.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
        return HexFormat.of().formatHex(digest.digest());
    }

    /** Returns that which the object's properties name, or reads the object. */
    static String of(Bucket bucket, ObjectInfo object, RateLimit limit) {
        String known = FileFacts.of(object).sha256();
        if (!known.isEmpty()) {
            return known;
        }
        MessageDigest digest = sha256();
        OutputStream target = new DigestOutputStream(OutputStream.nullOutputStream(), digest);
        bucket.readTo(object.key(), limit.limiting(target), GetOptions.DEFAULT.withVersion(object.version()));
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("each Java has SHA-256", e);
        }
    }
}
