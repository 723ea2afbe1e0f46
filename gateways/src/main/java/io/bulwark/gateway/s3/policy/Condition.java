package io.bulwark.gateway.s3.policy;

import io.bulwark.gateway.s3.request.Times;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
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

    private static final java.util.regex.Pattern SECONDS = java.util.regex.Pattern.compile("[0-9]{1,11}");

    /** Keys whose values are times, which have no order as numbers. */
    private static final Set<String> TIMES = Set.of("aws:currenttime", "s3:object-lock-retain-until-date");

    private static final Set<String> NUMBERS = Set.of("s3:max-keys");

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
            return isOfTimes()
                    ? time(actual).flatMap(one -> time(wanted).map(one::compareTo))
                    : number(actual).flatMap(one -> number(wanted).map(one::compareTo));
        }

        private boolean isOfTimes() {
            return name().startsWith("Date");
        }

        private boolean isOfNumbers() {
            return name().startsWith("Numeric");
        }

        /** Returns whether values of a key can be compared with this one. */
        private boolean canCompare(String key, String wanted) {
            if (isOfTimes()) {
                return !NUMBERS.contains(key) && time(wanted).isPresent();
            }
            if (isOfNumbers()) {
                return !TIMES.contains(key) && number(wanted).isPresent();
            }
            return (this != Bool && this != Null)
                    || wanted.equalsIgnoreCase("true")
                    || wanted.equalsIgnoreCase("false");
        }
    }

    /** Reads a date, a time with its zone, or seconds since 1970. */
    private static Optional<Instant> time(String text) {
        try {
            return SECONDS.matcher(text).matches()
                    ? Optional.of(Instant.ofEpochSecond(Long.parseLong(text)))
                    : Times.ofIso(text)
                            .or(() -> Optional.of(LocalDate.parse(text)
                                    .atStartOfDay(ZoneOffset.UTC)
                                    .toInstant()));
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    private static Optional<BigDecimal> number(String text) {
        try {
            return Optional.of(new BigDecimal(text));
        } catch (NumberFormatException _) {
            return Optional.empty();
        }
    }

    /** Returns whether the operator can compare the key with each value. Otherwise the condition would be ignored. */
    boolean isComparable() {
        return values.stream().allMatch(value -> operator.canCompare(key, value));
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
