package io.bulwark.gateway.s3.signature;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.util.Locale;
import java.util.Optional;

/**
 * Time of a signature.
 *
 * @param text as 20130524T000000Z
 */
record SigningTime(Instant instant, String text) {
    private static final DateTimeFormatter BASIC =
            DateTimeFormatter.ofPattern("uuuuMMdd'T'HHmmss'Z'", Locale.ROOT).withResolverStyle(ResolverStyle.STRICT);

    /** Parses the basic form of ISO 8601; empty if the text has another form. */
    static Optional<SigningTime> parse(String text) {
        try {
            return Optional.of(new SigningTime(LocalDateTime.parse(text, BASIC).toInstant(ZoneOffset.UTC), text));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    /** Parses the header {@code Date}, in the form of HTTP or the basic form of ISO 8601. */
    static Optional<SigningTime> parseDate(String text) {
        Optional<SigningTime> basic = parse(text);
        if (basic.isPresent()) {
            return basic;
        }
        try {
            Instant instant = Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
            return Optional.of(new SigningTime(instant, format(instant)));
        } catch (DateTimeException e) {
            return Optional.empty();
        }
    }

    static String format(Instant instant) {
        return BASIC.format(instant.atOffset(ZoneOffset.UTC));
    }

    /** Returns the day, as 20130524. */
    String day() {
        return text.substring(0, 8);
    }
}
