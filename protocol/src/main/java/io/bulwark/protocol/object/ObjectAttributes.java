package io.bulwark.protocol.object;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Attributes of one version of an object. A copy may have others than its source without a byte moved.
 *
 * @param contentType a media type, or empty; at most {@link #CONTENT_TYPE_BYTES_MAX} bytes of UTF-8
 * @param tags the user's own, which may be changed later; at most {@link #ENTRIES_MAX}, together at most {@link
 *     #MAP_BYTES_MAX} bytes of UTF-8
 * @param properties of the version for good, such as headers and checksums; with the limits of the tags, except that a
 *     key may have {@link #PROPERTY_KEY_BYTES_MAX} bytes
 */
public record ObjectAttributes(
        String contentType, SortedMap<String, String> tags, SortedMap<String, String> properties) {
    public static final ObjectAttributes NONE = ObjectAttributes.ofType("");
    public static final int CONTENT_TYPE_BYTES_MAX = 255;
    public static final int ENTRIES_MAX = 64;
    public static final int TAG_KEY_BYTES_MAX = 128;
    public static final int PROPERTY_KEY_BYTES_MAX = 2048;
    public static final int VALUE_BYTES_MAX = 4096;
    public static final int MAP_BYTES_MAX = 8192;

    /** Maximum of {@link #encodedBytes}. */
    public static final int ENCODED_BYTES_MAX = 4 + CONTENT_TYPE_BYTES_MAX + 2 * (2 + 8 * ENTRIES_MAX + MAP_BYTES_MAX);

    public ObjectAttributes {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        properties = Collections.unmodifiableSortedMap(new TreeMap<>(properties));
        check(bytes(contentType) <= CONTENT_TYPE_BYTES_MAX, "the content type is too long");
        checkMap(tags, "tag", TAG_KEY_BYTES_MAX);
        checkMap(properties, "property", PROPERTY_KEY_BYTES_MAX);
    }

    /** Returns attributes of a content type alone. */
    public static ObjectAttributes ofType(String contentType) {
        return new ObjectAttributes(contentType, new TreeMap<>(), new TreeMap<>());
    }

    public ObjectAttributes withTags(SortedMap<String, String> others) {
        return new ObjectAttributes(contentType, others, properties);
    }

    public ObjectAttributes withProperties(SortedMap<String, String> others) {
        return new ObjectAttributes(contentType, tags, others);
    }

    /** Returns the size in bytes when written. */
    public int encodedBytes() {
        return bytesOf(contentType) + encodedBytes(tags) + encodedBytes(properties);
    }

    public void write(WireWriter out) {
        out.string(contentType);
        writeTags(tags, out);
        writeTags(properties, out);
    }

    public static ObjectAttributes read(WireReader in) {
        String contentType = in.string(CONTENT_TYPE_BYTES_MAX);
        SortedMap<String, String> tags = readTags(in);
        SortedMap<String, String> properties = read(in, PROPERTY_KEY_BYTES_MAX);
        try {
            return new ObjectAttributes(contentType, tags, properties);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    /** Writes tags, in the order of their keys. */
    public static void writeTags(SortedMap<String, String> entries, WireWriter out) {
        out.u16(entries.size());
        entries.forEach((key, value) -> out.string(key).string(value));
    }

    /** Reads tags. Their limits are checked when they become attributes. */
    public static SortedMap<String, String> readTags(WireReader in) {
        return read(in, TAG_KEY_BYTES_MAX);
    }

    private static SortedMap<String, String> read(WireReader in, int keyBytesMax) {
        int count = in.count16(ENTRIES_MAX);
        SortedMap<String, String> entries = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String key = in.string(keyBytesMax);
            if (!entries.isEmpty() && key.compareTo(entries.lastKey()) <= 0) {
                throw new MalformedException("tags or properties out of order");
            }
            entries.put(key, in.string(VALUE_BYTES_MAX));
        }
        return entries;
    }

    private static void checkMap(SortedMap<String, String> entries, String kind, int keyBytesMax) {
        check(
                entries.size() <= ENTRIES_MAX,
                entries.size() + " entries of kind " + kind + ", the limit is " + ENTRIES_MAX);
        int all = 0;
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            int key = bytes(entry.getKey());
            int value = bytes(entry.getValue());
            check(key >= 1 && key <= keyBytesMax, "the key of a " + kind + " has 1 to " + keyBytesMax + " bytes");
            check(value <= VALUE_BYTES_MAX, "the value of " + kind + " " + entry.getKey() + " is too long");
            all += key + value;
        }
        check(all <= MAP_BYTES_MAX, all + " bytes of kind " + kind + ", the limit is " + MAP_BYTES_MAX);
    }

    private static int encodedBytes(SortedMap<String, String> entries) {
        int all = 2;
        for (Map.Entry<String, String> entry : entries.entrySet()) {
            all += bytesOf(entry.getKey()) + bytesOf(entry.getValue());
        }
        return all;
    }

    private static int bytesOf(String value) {
        return 4 + bytes(value);
    }

    private static int bytes(String value) {
        return value.getBytes(StandardCharsets.UTF_8).length;
    }

    private static void check(boolean condition, String problem) {
        if (!condition) {
            throw new IllegalArgumentException(problem);
        }
    }
}
