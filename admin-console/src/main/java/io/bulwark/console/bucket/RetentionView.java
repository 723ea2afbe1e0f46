package io.bulwark.console.bucket;

import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.object.Retention;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Default retention of new versions, as the API shows and takes it.
 *
 * @param mode {@code none}, {@code governance} or {@code compliance}
 * @param days null if it is counted in years, or if there is none
 * @param years of 365 days; null if it is counted in days, or if there is none
 */
public record RetentionView(
        @Nullable String mode,
        @Nullable Integer days,
        @Nullable Integer years) {
    private static final String FIELD = "retention";

    static RetentionView of(DefaultRetention retention) {
        String mode = word(retention.mode());
        if (retention.mode() == Retention.Mode.NONE) {
            return new RetentionView(mode, null, null);
        }
        return retention.years()
                ? new RetentionView(mode, null, retention.count())
                : new RetentionView(mode, retention.count(), null);
    }

    /**
     * Returns the retention that a request wants.
     *
     * @throws ApiException if there is no such retention
     */
    DefaultRetention wanted() {
        Retention.Mode wanted = Arrays.stream(Retention.Mode.values())
                .filter(each -> word(each).equals(mode))
                .findFirst()
                .orElseThrow(() ->
                        ApiException.badField(FIELD, "the mode of a retention is none, governance or compliance"));
        if (wanted == Retention.Mode.NONE) {
            if (days != null || years != null) {
                throw ApiException.badField(FIELD, "no retention has neither days nor years");
            }
            return DefaultRetention.NONE;
        }
        Integer count = days == null ? years : days;
        if (count == null || (days != null && years != null)) {
            throw ApiException.badField(FIELD, "give days or years, and not both");
        }
        try {
            return new DefaultRetention(wanted, count, years != null);
        } catch (IllegalArgumentException e) {
            throw ApiException.badField(FIELD, "a default retention is 1 day to 100 years");
        }
    }

    private static String word(Retention.Mode mode) {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
