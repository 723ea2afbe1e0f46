package io.bulwark.gateway.s3.lifecycle;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One rule of a bucket.
 *
 * @param plainPrefix whether the prefix was given beside the filter, as older clients do
 */
public record LifecycleRule(String id, boolean enabled, boolean plainPrefix, Filter filter, Actions actions) {
    /**
     * Objects that a rule is about.
     *
     * @param tags all of which a version must have
     * @param longerThan bytes that a version must exceed
     * @param shorterThan bytes that a version must stay below
     */
    public record Filter(
            String prefix, SortedMap<String, String> tags, Optional<Long> longerThan, Optional<Long> shorterThan) {
        public Filter {
            tags = Collections.unmodifiableSortedMap(new TreeMap<>(tags));
        }

        /** Returns whether it asks for more than a prefix, which delete markers do not have. */
        public boolean isOfVersions() {
            return !tags.isEmpty() || longerThan.isPresent() || shorterThan.isPresent();
        }

        boolean fits(String key, Map<String, String> itsTags, long length) {
            return key.startsWith(prefix)
                    && itsTags.entrySet().containsAll(tags.entrySet())
                    && longerThan.map(bytes -> length > bytes).orElse(true)
                    && shorterThan.map(bytes -> length < bytes).orElse(true);
        }
    }

    /**
     * Effect of a rule.
     *
     * @param days after which the latest version expires
     * @param date from which on the latest version expires
     * @param loneMarkers whether delete markers go that hide nothing any more
     * @param noncurrentDays after which a version goes that another one has replaced
     * @param noncurrentKept newest of such versions that stay nevertheless
     * @param uploadDays after which an upload is aborted
     */
    public record Actions(
            Optional<Integer> days,
            Optional<Instant> date,
            boolean loneMarkers,
            Optional<Integer> noncurrentDays,
            int noncurrentKept,
            Optional<Integer> uploadDays) {
        boolean isEmpty() {
            return days.isEmpty() && date.isEmpty() && !loneMarkers && noncurrentDays.isEmpty() && uploadDays.isEmpty();
        }
    }

    /** Returns whether the rule is about a version. */
    public boolean fits(String key, Map<String, String> tags, long length) {
        return filter.fits(key, tags, length);
    }

    /**
     * Returns when the latest version expires that was made at this time; empty if never.
     *
     * @param day length of a day
     */
    public Optional<Instant> expiry(Instant made, Duration day) {
        return actions.date().or(() -> actions.days().map(days -> after(made, days, day)));
    }

    /** Returns the end of so many days, rounded up to the next midnight. */
    public static Instant after(Instant start, int days, Duration day) {
        Instant end = start.plus(day.multipliedBy(days));
        return day.equals(Duration.ofDays(1)) ? end.truncatedTo(ChronoUnit.DAYS).plus(1, ChronoUnit.DAYS) : end;
    }
}
