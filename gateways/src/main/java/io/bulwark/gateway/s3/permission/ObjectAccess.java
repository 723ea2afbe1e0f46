package io.bulwark.gateway.s3.permission;

import io.bulwark.client.ReservedTags;
import io.bulwark.gateway.s3.acl.AccessControlList;
import io.bulwark.gateway.s3.setting.BucketRules;
import io.bulwark.gateway.s3.setting.Ownership;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Owner, access control list and tags of a version, as its attributes have them.
 *
 * @param tags of the user
 */
public record ObjectAccess(String owner, AccessControlList acl, SortedMap<String, String> tags) {
    /** Property with the owner of a version whom the owner of the bucket is not. */
    public static final String OWNER = "s3-owner";

    /** Tag with the access control list, which can be changed as tags can. */
    public static final String ACL = ReservedTags.PREFIX + "s3-acl";

    public ObjectAccess {
        tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
    }

    /** Returns what the attributes of a version say. */
    public static ObjectAccess of(BucketRules rules, Map<String, String> properties, Map<String, String> tags) {
        boolean enforced = rules.ownership() == Ownership.BUCKET_OWNER_ENFORCED;
        String owner = enforced
                ? rules.owner()
                : Optional.ofNullable(properties.get(OWNER)).orElse(rules.owner());
        AccessControlList acl = Optional.ofNullable(tags.get(ACL))
                .filter(_ -> !enforced)
                .flatMap(ObjectAccess::listOf)
                .orElseGet(() -> AccessControlList.ownedBy(owner));
        return new ObjectAccess(owner, acl, userTags(tags));
    }

    /** Reads a list. Who reads and writes metadata himself may write none: then the object is the owner's alone. */
    private static Optional<AccessControlList> listOf(String text) {
        try {
            return Optional.of(AccessControlList.ofText(text));
        } catch (IllegalArgumentException _) {
            return Optional.empty();
        }
    }

    /** Returns the tags that are the user's. */
    public static SortedMap<String, String> userTags(Map<String, String> tags) {
        SortedMap<String, String> own = new TreeMap<>(tags);
        own.keySet().removeIf(ReservedTags::isReserved);
        return own;
    }
}
