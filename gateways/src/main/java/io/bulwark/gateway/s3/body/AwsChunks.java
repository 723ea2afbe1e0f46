package io.bulwark.gateway.s3.body;

import io.bulwark.gateway.s3.request.Hashes;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.ChunkSignatures;
import io.bulwark.gateway.s3.signature.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Content of a body with the encoding {@code aws-chunked}. It ends only after the last chunk, the announced trailer and all
 * signatures have been verified, and nothing follows them; bytes of a chunk come out before its signature is checked.
 * After a failure it must not be read on.
 *
 * <pre>
 * body    = *chunk last trailer CRLF
 * chunk   = size [";chunk-signature=" 64HEX] CRLF content CRLF
 * last    = "0" [";chunk-signature=" 64HEX] CRLF
 * trailer = *(name ":" value CRLF) ["x-amz-trailer-signature:" 64HEX CRLF]
 * </pre>
 */
final class AwsChunks extends InputStream {
    static final String TRAILER_SIGNATURE = "x-amz-trailer-signature";
    private static final int LINE_BYTES_MAX = 512;
    private static final int BUFFER_BYTES = 8 << 10;
    private static final Pattern UNSIGNED = Pattern.compile("([0-9a-fA-F]{1,16})");
    private static final Pattern SIGNED = Pattern.compile("([0-9a-fA-F]{1,16});chunk-signature=([0-9a-f]{64})");
    private static final Pattern TRAILER = Pattern.compile("([A-Za-z0-9-]{1,64}):([\\x20-\\x7e]{0,256})");
    private static final Pattern SIGNATURE = Pattern.compile("[0-9a-f]{64}");

    private final InputStream wire;
    private final Payload.Kind kind;
    private final Optional<ChunkSignatures> signatures;
    private final Set<String> announced;
    private final long lengthMax;
    private final MessageDigest digest = Hashes.sha256();
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final SortedMap<String, String> trailer = new TreeMap<>();
    private int position;
    private int limit;
    /** Content bytes of all chunks so far, with the whole of the current one. */
    private long length;

    private long chunkLeft;
    private String chunkSignature = "";
    private boolean inChunk;
    private boolean inTrailer;
    private boolean ended;

    /**
     * Creates a decoder.
     *
     * @param announced names of the trailer's fields, lower case
     * @param lengthMax bytes of content
     */
    AwsChunks(
            InputStream wire,
            Payload.Kind kind,
            Optional<ChunkSignatures> signatures,
            Set<String> announced,
            long lengthMax) {
        if (kind.hasSignedChunks() != signatures.isPresent()) {
            throw new IllegalArgumentException(kind + " with signatures: " + signatures.isPresent());
        }
        this.wire = wire;
        this.kind = kind;
        this.signatures = signatures;
        this.announced = Set.copyOf(announced);
        this.lengthMax = lengthMax;
    }

    /** Returns the fields of the trailer by lower-case name, once the content has ended. */
    SortedMap<String, String> trailer() {
        if (!ended) {
            throw new IllegalStateException("the body has not ended");
        }
        return Collections.unmodifiableSortedMap(trailer);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int count) throws IOException {
        if (ended) {
            return -1;
        }
        if (count == 0) {
            return 0;
        }
        if (!inChunk) {
            beginChunk();
            if (chunkLeft == 0) {
                finish();
                return -1;
            }
        }
        int read = readWire(bytes, offset, (int) Math.min(count, chunkLeft));
        digestChunk(bytes, offset, read);
        chunkLeft -= read;
        if (chunkLeft == 0) {
            requireLineEnd();
            endChunk();
        }
        return read;
    }

    private void digestChunk(byte[] bytes, int offset, int count) {
        if (signatures.isPresent()) {
            digest.update(bytes, offset, count);
        }
    }

    private void beginChunk() throws IOException {
        String line = readLine();
        Matcher matcher = (signatures.isPresent() ? SIGNED : UNSIGNED).matcher(line);
        if (!matcher.matches()) {
            throw malformed("a chunk begins with an invalid line");
        }
        long size = Long.parseUnsignedLong(matcher.group(1), 16);
        if (size < 0 || size > lengthMax - length) {
            throw new S3Exception(
                    400, "IncompleteBody", "The chunks have more bytes than x-amz-decoded-content-length names.");
        }
        chunkSignature = signatures.isPresent() ? matcher.group(2) : "";
        length += size;
        chunkLeft = size;
        inChunk = true;
    }

    private void endChunk() {
        signatures.ifPresent(chain -> chain.verifyChunk(digest.digest(), chunkSignature));
        inChunk = false;
    }

    private void finish() throws IOException {
        endChunk();
        StringBuilder canonical = new StringBuilder();
        Optional<String> signature = kind.mayHaveTrailer() ? readTrailer(canonical) : readEmptyLine();
        if (kind.mayHaveTrailer() && signatures.isPresent()) {
            byte[] sha256 = digest.digest(canonical.toString().getBytes(StandardCharsets.ISO_8859_1));
            signatures.get().verifyTrailer(sha256, signature.orElseThrow(() -> malformed("the trailer is unsigned")));
        }
        if (!trailer.keySet().equals(announced)) {
            throw malformed("the trailer has other fields than x-amz-trailer names");
        }
        if (readWire(buffer, 0, 1) >= 0) {
            throw malformed("bytes follow its end");
        }
        ended = true;
    }

    private Optional<String> readEmptyLine() throws IOException {
        requireLineEnd();
        return Optional.empty();
    }

    /** Reads the fields with the empty line after them. Some clients have an empty line before the signature, too. */
    private Optional<String> readTrailer(StringBuilder canonical) throws IOException {
        boolean wantsSignature = signatures.isPresent();
        boolean hadEmptyLine = false;
        inTrailer = true;
        while (true) {
            String line = readLine();
            if (line.isEmpty()) {
                if (!wantsSignature || hadEmptyLine) {
                    return Optional.empty();
                }
                hadEmptyLine = true;
                continue;
            }
            Matcher matcher = TRAILER.matcher(line);
            if (!matcher.matches()) {
                throw malformed("the trailer has an invalid line");
            }
            String name = matcher.group(1).toLowerCase(Locale.ROOT);
            String value = matcher.group(2).strip();
            if (name.equals(TRAILER_SIGNATURE)) {
                if (!wantsSignature || !SIGNATURE.matcher(value).matches()) {
                    throw malformed("the trailer has an invalid signature");
                }
                requireLineEnd();
                return Optional.of(value);
            }
            if (hadEmptyLine || !announced.contains(name) || trailer.put(name, value) != null) {
                throw malformed("the trailer has a field that x-amz-trailer does not name");
            }
            canonical.append(name).append(':').append(value).append('\n');
        }
    }

    /** Reads a line without its end, which is CRLF; in the trailer, as some clients send it, LF. */
    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            int c = readByte();
            if (c == '\n' && inTrailer) {
                return line.toString();
            }
            if (c == '\r') {
                if (readByte() != '\n') {
                    throw malformed("a line does not end with CRLF");
                }
                return line.toString();
            }
            if (c < ' ' || line.length() >= LINE_BYTES_MAX) {
                throw malformed("a line is too long or has a control character");
            }
            line.append((char) c);
        }
    }

    private void requireLineEnd() throws IOException {
        if (readByte() != '\r' || readByte() != '\n') {
            throw malformed("a chunk does not end with CRLF");
        }
    }

    private int readByte() throws IOException {
        if (position == limit) {
            limit = wire.read(buffer, 0, buffer.length);
            position = 0;
            if (limit <= 0) {
                limit = 0;
                throw incomplete();
            }
        }
        return buffer[position++] & 0xff;
    }

    private int readWire(byte[] bytes, int offset, int count) throws IOException {
        if (position < limit) {
            int copied = Math.min(count, limit - position);
            System.arraycopy(buffer, position, bytes, offset, copied);
            position += copied;
            return copied;
        }
        int read = wire.read(bytes, offset, count);
        if (read < 0 && chunkLeft > 0) {
            throw incomplete();
        }
        return read;
    }

    private static S3Exception incomplete() {
        return new S3Exception(
                400, "IncompleteBody", "The request body terminated unexpectedly: its last chunk is missing.");
    }

    private static S3Exception malformed(String reason) {
        return new S3Exception(400, "InvalidRequest", "The aws-chunked body is malformed: " + reason + ".");
    }
}
