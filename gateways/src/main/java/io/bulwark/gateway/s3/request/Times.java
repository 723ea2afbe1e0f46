package io.bulwark.gateway.s3.request;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.Optional;

/** Times as HTTP and S3 write them. */
public final class Times {
    private static final DateTimeFormatter HTTP = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);
    private static final DateTimeFormatter ISO = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private Times() {}

    /** Writes a time as headers have it. */
    public static String http(Instant time) {
        return HTTP.format(time);
    }

    /** Writes a time as documents have it. */
    public static String iso(Instant time) {
        return ISO.format(time);
    }

    /** Returns the time as {@link #http} can tell it. */
    public static Instant wholeSeconds(Instant time) {
        return time.truncatedTo(ChronoUnit.SECONDS);
    }

    /** Reads a time of a header; empty if it is none, as HTTP demands that such headers are ignored. */
    public static Optional<Instant> ofHttp(String text) {
        try {
            return Optional.of(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text, Instant::from));
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }

    /** Reads a time of a document. */
    public static Optional<Instant> ofIso(String text) {
        try {
            return Optional.of(DateTimeFormatter.ISO_DATE_TIME.parse(text, Instant::from));
        } catch (DateTimeParseException _) {
            return Optional.empty();
        }
    }
}
