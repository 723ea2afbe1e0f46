package io.bulwark.gateway.s3.form;

import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.request.WireText;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a body of the type {@code multipart/form-data}: the fields before the file at once, then the file as a stream. Fields
 * after the file are ignored, as S3 does. RFC 7578.
 */
public final class FormReader {
    private static final int FIELDS_BYTES_MAX = 20 << 10;
    private static final int FIELDS_MAX = 100;
    private static final int LINE_BYTES_MAX = 2 << 10;
    private static final int PART_HEADERS_MAX = 8;
    private static final int REST_BYTES_MAX = 64 << 10;
    private static final int BUFFER_BYTES = 32 << 10;
    private static final Pattern TYPE = Pattern.compile(
            "(?i)multipart/form-data\\s*;\\s*boundary=(?:\"([\\x20-\\x7e&&[^\"]]{1,70})\"|([\\x21-\\x7e&&[^\";]]{1,70}))");
    private static final Pattern DISPOSITION = Pattern.compile(
            "(?i)content-disposition:\\s*form-data((?:\\s*;\\s*[a-z*]+=(?:\"[^\"]*\"|[^\";\\s]*))+)\\s*");
    private static final Pattern PARAMETER = Pattern.compile("(?i);\\s*([a-z*]+)=(?:\"([^\"]*)\"|([^\";\\s]*))");

    private final InputStream wire;
    /** The end of a part: a line end, two dashes and the boundary. */
    private final byte[] delimiter;

    private final byte[] buffer = new byte[BUFFER_BYTES];
    private final TreeMap<String, String> fields = new TreeMap<>();
    private int position;
    private int limit;
    /** Bytes before it are known to be before a boundary. */
    private int safeLimit;

    private int fieldsBytes;
    private String fileName = "";

    private FormReader(InputStream wire, String boundary) {
        this.wire = wire;
        this.delimiter = ("\r\n--" + boundary).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns whether a body of this type is a form. */
    public static boolean isForm(String contentType) {
        return contentType.toLowerCase(Locale.ROOT).startsWith("multipart/form-data");
    }

    /**
     * Reads the fields before the file.
     *
     * @throws S3Exception if the form is malformed, too large or has no file
     */
    public static FormReader open(InputStream wire, String contentType) throws IOException {
        Matcher matcher = TYPE.matcher(contentType.strip());
        if (!matcher.matches()) {
            throw malformed("its Content-Type has no boundary");
        }
        FormReader reader = new FormReader(wire, matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        reader.readFields();
        return reader;
    }

    /** Returns the fields before the file, by lower-case name. */
    public SortedMap<String, String> fields() {
        return Collections.unmodifiableSortedMap(fields);
    }

    /** Returns the name that the file has at its sender, without directories. */
    public String fileName() {
        return fileName;
    }

    /** Returns the content of the file. It ends when all of the form has arrived. */
    public InputStream file() {
        return new FileStream();
    }

    private void readFields() throws IOException {
        String first = readLine();
        if (!first.equals(new String(delimiter, 2, delimiter.length - 2, StandardCharsets.US_ASCII))) {
            throw malformed("it does not begin with the boundary");
        }
        while (true) {
            String name = readPartHead();
            if (name.equals("file")) {
                return;
            }
            String value = readField();
            if (fields.size() >= FIELDS_MAX) {
                throw tooLarge();
            }
            if (fields.put(name, value) != null) {
                throw new S3Exception(400, "InvalidArgument", "A field of the form is given twice.")
                        .with("ArgumentName", name);
            }
            readDelimiterEnd();
        }
    }

    /** Reads what follows the boundary after a field. */
    private void readDelimiterEnd() throws IOException {
        String end = readLine();
        if (end.startsWith("--")) {
            throw new S3Exception(400, "InvalidArgument", "POST requires exactly one file upload per request.")
                    .with("ArgumentName", "file")
                    .with("ArgumentValue", "0");
        }
        if (!end.isBlank()) {
            throw malformed("bytes follow a boundary");
        }
    }

    /** Reads the headers of a part. Returns the name of its field, lower case. */
    private String readPartHead() throws IOException {
        String name = "";
        for (int i = 0; ; i++) {
            String line = readLine();
            if (line.isEmpty()) {
                break;
            }
            if (i >= PART_HEADERS_MAX) {
                throw malformed("a part has too many headers");
            }
            Matcher disposition = DISPOSITION.matcher(line);
            if (disposition.matches()) {
                name = readDisposition(disposition.group(1));
            }
        }
        if (name.isEmpty()) {
            throw malformed("a part has no name");
        }
        return name;
    }

    private String readDisposition(String parameters) {
        String name = "";
        Matcher parameter = PARAMETER.matcher(parameters);
        while (parameter.find()) {
            String value = utf8(parameter.group(2) == null ? parameter.group(3) : parameter.group(2));
            switch (parameter.group(1).toLowerCase(Locale.ROOT)) {
                case "name" -> name = value.toLowerCase(Locale.ROOT);
                case "filename" ->
                    fileName = value.substring(Math.max(value.lastIndexOf('/'), value.lastIndexOf('\\')) + 1);
                default -> {}
            }
        }
        return name;
    }

    private String readField() throws IOException {
        ByteArrayOutputStream value = new ByteArrayOutputStream();
        byte[] some = new byte[1 << 10];
        for (int read = readPart(some, 0, some.length); read >= 0; read = readPart(some, 0, some.length)) {
            count(read);
            value.write(some, 0, read);
        }
        return utf8(value.toString(StandardCharsets.ISO_8859_1));
    }

    private static String utf8(String latin) {
        return WireText.read(latin).orElseThrow(() -> malformed("a field is not UTF-8"));
    }

    private void count(int bytes) {
        fieldsBytes += bytes;
        if (fieldsBytes > FIELDS_BYTES_MAX) {
            throw tooLarge();
        }
    }

    private static S3Exception tooLarge() {
        return new S3Exception(
                400,
                "MaxPostPreDataLengthExceededError",
                "Your POST request fields preceding the upload file were too large.");
    }

    private String readLine() throws IOException {
        StringBuilder line = new StringBuilder();
        while (true) {
            if (position == limit && !fill()) {
                throw malformed("it ends too early");
            }
            char c = (char) (buffer[position++] & 0xff);
            count(1);
            if (c == '\n' && line.length() > 0 && line.charAt(line.length() - 1) == '\r') {
                return line.substring(0, line.length() - 1);
            }
            if (line.length() >= LINE_BYTES_MAX) {
                throw malformed("a line is too long");
            }
            line.append(c);
        }
    }

    /** Reads bytes of the current part; -1 after its end, which is behind the boundary. */
    private int readPart(byte[] bytes, int offset, int wanted) throws IOException {
        while (true) {
            int safe = safeBytes();
            if (safe > 0) {
                int copied = Math.min(wanted, safe);
                System.arraycopy(buffer, position, bytes, offset, copied);
                position += copied;
                return copied;
            }
            if (limit - position >= delimiter.length) {
                position += delimiter.length;
                return -1;
            }
            if (!fill()) {
                throw malformed("it ends within a part");
            }
        }
    }

    /** Returns the number of the next bytes that are before a boundary. */
    private int safeBytes() {
        // Without this a reader of single bytes would search the buffer once for each.
        if (position < safeLimit) {
            return safeLimit - position;
        }
        for (int i = position; i < limit; i++) {
            if (buffer[i] == '\r') {
                int there = Math.min(delimiter.length, limit - i);
                if (Arrays.equals(buffer, i, i + there, delimiter, 0, there)) {
                    safeLimit = i;
                    return i - position;
                }
            }
        }
        safeLimit = limit;
        return limit - position;
    }

    private boolean fill() throws IOException {
        System.arraycopy(buffer, position, buffer, 0, limit - position);
        limit -= position;
        position = 0;
        safeLimit = 0;
        int read = wire.read(buffer, limit, buffer.length - limit);
        limit += Math.max(0, read);
        return read > 0;
    }

    private static S3Exception malformed(String reason) {
        return new S3Exception(
                400,
                "MalformedPOSTRequest",
                "The body of your POST request is not well-formed multipart/form-data: " + reason + ".");
    }

    /** The content of the file. */
    private final class FileStream extends InputStream {
        private boolean ended;

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] bytes, int offset, int wanted) throws IOException {
            if (ended) {
                return -1;
            }
            int read = wanted == 0 ? 0 : readPart(bytes, offset, wanted);
            if (read < 0) {
                skipRest();
                ended = true;
            }
            return read;
        }

        /** The connection may be cut, or a proxy may have shortened the body: only the whole form counts. */
        private void skipRest() throws IOException {
            int skipped = 0;
            while (position < limit || fill()) {
                skipped += limit - position;
                position = limit;
                if (skipped > REST_BYTES_MAX) {
                    throw malformed("too much follows the file");
                }
            }
        }
    }
}
