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
 * Attributes of an object that the user sets.
 *
 * @param contentType a media type, or empty; at most {@link #CONTENT_TYPE_BYTES_MAX} bytes of UTF-8
 * @param tags at most {@link #TAGS_MAX}, together at most {@link #TAGS_BYTES_MAX} bytes of UTF-8
 */
public record ObjectAttributes(String contentType, SortedMap<String, String> tags) {
    public static final ObjectAttributes NONE = new ObjectAttributes("", new TreeMap<>());
    public static final int CONTENT_TYPE_BYTES_MAX = 255;
    public static final int TAGS_MAX = 64;
    public static final int TAG_KEY_BYTES_MAX = 128;
    public static final int TAG_VALUE_BYTES_MAX = 4096;
    public static final int TAGS_BYTES_MAX = 8192;

    public ObjectAttributes {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        check(bytes(contentType) <= CONTENT_TYPE_BYTES_MAX, "the content type is too long");
        check(tags.size() <= TAGS_MAX, tags.size() + " tags, the limit is " + TAGS_MAX);
        int all = 0;
        for (Map.Entry<String, String> tag : tags.entrySet()) {
            int key = bytes(tag.getKey());
            int value = bytes(tag.getValue());
            check(key >= 1 && key <= TAG_KEY_BYTES_MAX, "a tag's key has 1 to " + TAG_KEY_BYTES_MAX + " bytes");
            check(value <= TAG_VALUE_BYTES_MAX, "the value of tag " + tag.getKey() + " is too long");
            all += key + value;
        }
        check(all <= TAGS_BYTES_MAX, all + " bytes of tags, the limit is " + TAGS_BYTES_MAX);
    }

    public void write(WireWriter out) {
        out.string(contentType).u16(tags.size());
        tags.forEach((key, value) -> out.string(key).string(value));
    }

    public static ObjectAttributes read(WireReader in) {
        String contentType = in.string(CONTENT_TYPE_BYTES_MAX);
        int count = in.count16(TAGS_MAX);
        SortedMap<String, String> tags = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            String key = in.string(TAG_KEY_BYTES_MAX);
            if (!tags.isEmpty() && key.compareTo(tags.lastKey()) <= 0) {
                throw new MalformedException("tags out of order");
            }
            tags.put(key, in.string(TAG_VALUE_BYTES_MAX));
        }
        try {
            return new ObjectAttributes(contentType, tags);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
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
