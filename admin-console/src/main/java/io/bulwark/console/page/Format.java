package io.bulwark.console.page;

import io.bulwark.client.text.Quantity;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.springframework.stereotype.Component;

/** Figures as pages show them; templates call it as {@code @format}. */
@Component("format")
public class Format {
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss", Locale.ROOT).withZone(ZoneOffset.UTC);

    /** Formats a size, such as {@code 1.5 GiB}. */
    public String bytes(long bytes) {
        return Quantity.bytes(bytes);
    }

    /** Formats a small probability, such as {@code 1.2e-07}. */
    public String probability(double probability) {
        return String.format(Locale.ROOT, "%.1e", probability);
    }

    /** Formats a count with separators, such as {@code 100,000}. */
    public String count(long count) {
        return String.format(Locale.ROOT, "%,d", count);
    }

    /** Formats a count of things, such as {@code 1,000 objects}. */
    public String count(long count, String one) {
        return Quantity.count(count, one);
    }

    /** Formats a point in time in UTC. */
    public String time(Instant at) {
        return TIME.format(at) + " UTC";
    }

    /** Formats a point in time in UTC. */
    public String time(long millis) {
        return time(Instant.ofEpochMilli(millis));
    }

    /** Formats a duration in its two largest units, such as {@code 2 h 5 min}. */
    public String duration(long millis) {
        Duration duration = Duration.ofMillis(millis);
        if (millis < 1000) {
            return millis + " ms";
        }
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        if (millis < 3_600_000) {
            return duration.toMinutes() + " min " + duration.toSecondsPart() + " s";
        }
        return duration.toDays() > 0
                ? duration.toDays() + " d " + duration.toHoursPart() + " h"
                : duration.toHours() + " h " + duration.toMinutesPart() + " min";
    }
}
