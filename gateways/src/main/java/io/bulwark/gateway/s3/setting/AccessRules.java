package io.bulwark.gateway.s3.setting;

import io.bulwark.gateway.s3.acl.AccessControlList;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Owner of a bucket and the rules about access that are not its policy.
 *
 * @param owner canonical user ID of the person who made the bucket
 * @param ownership empty if it was never set: then as {@link Ownership#OBJECT_WRITER}
 * @param block empty if it was never set: then nothing is blocked
 */
public record AccessRules(
        String owner, AccessControlList acl, Optional<Ownership> ownership, Optional<PublicAccessBlock> block) {
    /** Returns the rules of a new bucket. */
    public static AccessRules of(String owner, AccessControlList acl) {
        return new AccessRules(owner, acl, Optional.empty(), Optional.empty());
    }

    public AccessRules withAcl(AccessControlList other) {
        return new AccessRules(owner, other, ownership, block);
    }

    public AccessRules withOwnership(Optional<Ownership> other) {
        return new AccessRules(owner, acl, other, block);
    }

    public AccessRules withBlock(Optional<PublicAccessBlock> other) {
        return new AccessRules(owner, acl, ownership, other);
    }

    byte[] toBytes() {
        StringBuilder text = new StringBuilder("owner ").append(owner).append('\n');
        text.append("acl ").append(acl.toText()).append('\n');
        ownership.ifPresent(
                rule -> text.append("ownership ").append(rule.text()).append('\n'));
        block.ifPresent(rule -> text.append("block ")
                .append(rule.blockPublicAcls() ? '1' : '0')
                .append(rule.ignorePublicAcls() ? '1' : '0')
                .append(rule.blockPublicPolicy() ? '1' : '0')
                .append(rule.restrictPublicBuckets() ? '1' : '0')
                .append('\n'));
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /**
     * Reads the rules.
     *
     * @throws IllegalArgumentException if they are not as this class writes them
     */
    static AccessRules ofBytes(byte[] bytes) {
        Optional<String> owner = Optional.empty();
        AccessControlList acl = new AccessControlList(List.of());
        Optional<Ownership> ownership = Optional.empty();
        Optional<PublicAccessBlock> block = Optional.empty();
        for (String line : new String(bytes, StandardCharsets.UTF_8).lines().toList()) {
            int space = line.indexOf(' ');
            String value = line.substring(space + 1);
            switch (line.substring(0, Math.max(space, 0))) {
                case "owner" -> owner = Optional.of(value);
                case "acl" -> acl = AccessControlList.ofText(value);
                case "ownership" -> ownership = Ownership.of(value);
                case "block" -> block = Optional.of(blockOf(value));
                default -> throw new IllegalArgumentException("unknown line: " + line);
            }
        }
        String known = owner.orElseThrow(() -> new IllegalArgumentException("no owner"));
        return new AccessRules(known, acl, ownership, block);
    }

    private static PublicAccessBlock blockOf(String bits) {
        if (!bits.matches("[01]{4}")) {
            throw new IllegalArgumentException("not four bits: " + bits);
        }
        return new PublicAccessBlock(
                bits.charAt(0) == '1', bits.charAt(1) == '1', bits.charAt(2) == '1', bits.charAt(3) == '1');
    }
}
