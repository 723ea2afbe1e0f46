package io.bulwark.gateway.s3.policy;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * One condition of a statement. It holds if one of its values fits, and for the negated operators if none does.
 *
 * @param ifExists whether it holds for requests that do not have the key
 */
record Condition(Operator operator, boolean ifExists, String key, List<String> values) {
    private static final Set<String> KEYS = Set.of(
            "aws:referer",
            "aws:useragent",
            "aws:username",
            "aws:currenttime",
            "aws:epochtime",
            "s3:prefix",
            "s3:delimiter",
            "s3:max-keys",
            "s3:versionid",
            "s3:x-amz-acl",
            "s3:x-amz-copy-source",
            "s3:x-amz-metadata-directive",
            "s3:x-amz-server-side-encryption",
            "s3:x-amz-server-side-encryption-aws-kms-key-id",
            "s3:x-amz-storage-class",
            "s3:x-amz-content-sha256",
            "s3:x-amz-grant-read",
            "s3:x-amz-grant-write",
            "s3:x-amz-grant-read-acp",
            "s3:x-amz-grant-write-acp",
            "s3:x-amz-grant-full-control",
            "s3:object-lock-mode",
            "s3:object-lock-retain-until-date",
            "s3:object-lock-legal-hold");

    Condition {
        values = List.copyOf(values);
    }

    /** Comparisons that conditions may name. */
    enum Operator {
        StringEquals,
        StringNotEquals,
        StringEqualsIgnoreCase,
        StringNotEqualsIgnoreCase,
        StringLike,
        StringNotLike,
        NumericEquals,
        NumericNotEquals,
        NumericLessThan,
        NumericLessThanEquals,
        NumericGreaterThan,
        NumericGreaterThanEquals,
        DateEquals,
        DateNotEquals,
        DateLessThan,
        DateLessThanEquals,
        DateGreaterThan,
        DateGreaterThanEquals,
        Bool,
        Null;

        private boolean negated() {
            return name().contains("Not");
        }

        private boolean matches(String actual, String wanted) {
            return switch (this) {
                case StringEquals, StringNotEquals -> actual.equals(wanted);
                case StringEqualsIgnoreCase, StringNotEqualsIgnoreCase, Bool -> actual.equalsIgnoreCase(wanted);
                case StringLike, StringNotLike -> Pattern.matches(wanted, actual);
                case Null -> false;
                default -> compare(actual, wanted).filter(this::accepts).isPresent();
            };
        }

        private boolean accepts(int order) {
            String comparison = name().replaceFirst("Numeric|Date", "");
            return switch (comparison) {
                case "LessThan" -> order < 0;
                case "LessThanEquals" -> order <= 0;
                case "GreaterThan" -> order > 0;
                case "GreaterThanEquals" -> order >= 0;
                default -> order == 0;
            };
        }

        private Optional<Integer> compare(String actual, String wanted) {
            try {
                return Optional.of(
                        name().startsWith("Date")
                                ? Instant.parse(actual).compareTo(Instant.parse(wanted))
                                : new BigDecimal(actual).compareTo(new BigDecimal(wanted)));
            } catch (NumberFormatException | DateTimeParseException _) {
                return Optional.empty();
            }
        }
    }

    /** Returns the form in which a key is compared: everything up to a slash is in lower case. */
    static String normal(String key) {
        int slash = key.indexOf('/');
        return slash < 0
                ? key.toLowerCase(Locale.ROOT)
                : key.substring(0, slash).toLowerCase(Locale.ROOT) + key.substring(slash);
    }

    static boolean isKnown(String normalKey) {
        return KEYS.contains(normalKey)
                || normalKey.startsWith("s3:existingobjecttag/")
                || normalKey.startsWith("s3:requestobjecttag/");
    }

    /** Returns whether it holds for named persons only. */
    boolean namesPersons() {
        return operator == Operator.StringEquals && !ifExists && key.equals("aws:username");
    }

    boolean holds(Facts facts) {
        List<String> actual = facts.values(key);
        if (operator == Operator.Null) {
            return values.stream().anyMatch(value -> Boolean.parseBoolean(value) == actual.isEmpty());
        }
        if (actual.isEmpty()) {
            return ifExists || operator.negated();
        }
        boolean fits = actual.stream().anyMatch(one -> values.stream().anyMatch(value -> operator.matches(one, value)));
        return fits != operator.negated();
    }
}
