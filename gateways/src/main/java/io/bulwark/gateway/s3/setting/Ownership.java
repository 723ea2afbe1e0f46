package io.bulwark.gateway.s3.setting;

import java.util.Arrays;
import java.util.Optional;

/** Rule of a bucket about the owner of its objects. */
public enum Ownership {
    /** Access control lists are off: the owner of the bucket owns all. */
    BUCKET_OWNER_ENFORCED("BucketOwnerEnforced"),
    BUCKET_OWNER_PREFERRED("BucketOwnerPreferred"),
    OBJECT_WRITER("ObjectWriter");

    private final String text;

    Ownership(String text) {
        this.text = text;
    }

    public String text() {
        return text;
    }

    public static Optional<Ownership> of(String text) {
        return Arrays.stream(values()).filter(one -> one.text.equals(text)).findFirst();
    }
}
