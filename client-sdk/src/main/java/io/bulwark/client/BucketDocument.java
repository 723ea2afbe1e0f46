package io.bulwark.client;

import java.util.Arrays;

/**
 * Document of a bucket, such as rules that a gateway applies.
 *
 * @param number of its last change, for {@link Precondition#ifVersion}; never reused
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by its bytes, copied on both ways.
public record BucketDocument(String name, long number, byte[] content) {
    /** Limit of the number of documents of one bucket. */
    public static final int DOCUMENTS_MAX = 16;

    public static final int BYTES_MAX = 32 << 10;

    public BucketDocument {
        content = content.clone();
    }

    @Override
    public byte[] content() {
        return content.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BucketDocument document
                && document.name.equals(name)
                && document.number == number
                && Arrays.equals(document.content, content);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(number);
    }

    @Override
    public String toString() {
        return name + " number " + number;
    }
}
