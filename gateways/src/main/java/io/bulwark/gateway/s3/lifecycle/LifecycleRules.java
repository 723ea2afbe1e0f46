package io.bulwark.gateway.s3.lifecycle;

import io.bulwark.gateway.s3.lifecycle.LifecycleRule.Actions;
import io.bulwark.gateway.s3.lifecycle.LifecycleRule.Filter;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.Times;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import io.bulwark.gateway.s3.xml.XmlWriter;
import java.io.ByteArrayInputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Supplier;

/** The rules of a bucket that expire objects, versions and uploads. */
public record LifecycleRules(List<LifecycleRule> rules) {
    private static final int RULES_MAX = 1000;
    private static final int ID_MAX = 255;
    private static final String ROOT = "LifecycleConfiguration";

    public LifecycleRules {
        rules = List.copyOf(rules);
    }

    /** Reads the document of a request, or the one that was kept. */
    public static LifecycleRules read(byte[] document) {
        XmlElement root = XmlReader.read(new ByteArrayInputStream(document), ROOT);
        root.allowOnly("Rule");
        List<LifecycleRule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (XmlElement element : root.all("Rule")) {
            LifecycleRule rule = rule(element);
            if (!ids.add(rule.id())) {
                throw ErrorCode.INVALID_ARGUMENT.because(
                        "Rule ID must be unique. Found same ID for more than one rule");
            }
            rules.add(rule);
        }
        if (rules.isEmpty() || rules.size() > RULES_MAX) {
            throw XmlElement.malformed("it has 1 to " + RULES_MAX + " rules");
        }
        return new LifecycleRules(rules);
    }

    private static LifecycleRule rule(XmlElement element) {
        for (String transition : List.of("Transition", "NoncurrentVersionTransition")) {
            for (XmlElement one : element.all(transition)) {
                one.textOf("Date").ifPresent(LifecycleRules::date);
                throw ErrorCode.NOT_IMPLEMENTED.because("There is one storage class only, so that nothing moves.");
            }
        }
        element.allowOnly(
                "ID",
                "Status",
                "Prefix",
                "Filter",
                "Expiration",
                "NoncurrentVersionExpiration",
                "AbortIncompleteMultipartUpload");
        String id = element.textOf("ID")
                .filter(text -> !text.isEmpty())
                .orElseGet(() -> UUID.randomUUID().toString());
        if (id.length() > ID_MAX) {
            throw ErrorCode.INVALID_ARGUMENT.because("ID length should not exceed allowed limit of " + ID_MAX);
        }
        if (id.chars().anyMatch(c -> c < ' ' || c == 0x7F || c == '"')) {
            // Responses name it in a header.
            throw ErrorCode.INVALID_ARGUMENT.because("An ID has no control characters and quotes.");
        }
        boolean enabled = switch (element.textOf("Status").orElse("")) {
            case "Enabled" -> true;
            case "Disabled" -> false;
            default -> throw XmlElement.malformed("a status is Enabled or Disabled");
        };
        Optional<String> prefix = element.child("Prefix").map(XmlElement::text);
        Optional<XmlElement> filter = element.child("Filter");
        if (prefix.isPresent() == filter.isPresent()) {
            throw XmlElement.malformed("a rule has a Filter or a Prefix");
        }
        Filter objects = filter.map(LifecycleRules::filter)
                .orElseGet(() -> new Filter(prefix.orElse(""), new TreeMap<>(), Optional.empty(), Optional.empty()));
        Actions actions = actions(element);
        if (actions.isEmpty()) {
            throw XmlElement.malformed("a rule has no action");
        }
        boolean tagged = !objects.tags().isEmpty();
        if (tagged && (actions.uploadDays().isPresent() || actions.loneMarkers())) {
            throw ErrorCode.INVALID_REQUEST.because("Uploads and delete markers have no tags.");
        }
        return new LifecycleRule(id, enabled, prefix.isPresent(), objects, actions);
    }

    private static Filter filter(XmlElement filter) {
        filter.allowOnly("Prefix", "Tag", "And", "ObjectSizeGreaterThan", "ObjectSizeLessThan");
        List<XmlElement> parts = new ArrayList<>(List.of(filter));
        filter.child("And").ifPresent(and -> {
            and.allowOnly("Prefix", "Tag", "ObjectSizeGreaterThan", "ObjectSizeLessThan");
            parts.add(and);
        });
        String prefix = "";
        SortedMap<String, String> tags = new TreeMap<>();
        Optional<Long> longer = Optional.empty();
        Optional<Long> shorter = Optional.empty();
        for (XmlElement part : parts) {
            prefix = part.child("Prefix").map(XmlElement::text).orElse(prefix);
            for (XmlElement tag : part.all("Tag")) {
                String key = tag.required("Key").text();
                if (tags.put(key, tag.required("Value").text()) != null) {
                    throw ErrorCode.INVALID_REQUEST.because("Duplicate Tag Keys are not allowed.");
                }
            }
            longer = part.textOf("ObjectSizeGreaterThan")
                    .map(LifecycleRules::number)
                    .or(kept(longer));
            shorter = part.textOf("ObjectSizeLessThan")
                    .map(LifecycleRules::number)
                    .or(kept(shorter));
        }
        return new Filter(prefix, tags, longer, shorter);
    }

    private static Supplier<Optional<Long>> kept(Optional<Long> value) {
        return () -> value;
    }

    private static Actions actions(XmlElement rule) {
        Optional<XmlElement> expiration = rule.child("Expiration");
        expiration.ifPresent(element -> {
            element.allowOnly("Days", "Date", "ExpiredObjectDeleteMarker");
            if (element.children().size() != 1) {
                throw XmlElement.malformed("an expiration has one of Days, Date and ExpiredObjectDeleteMarker");
            }
        });
        Optional<XmlElement> noncurrent = rule.child("NoncurrentVersionExpiration");
        noncurrent.ifPresent(element -> element.allowOnly("NoncurrentDays", "NewerNoncurrentVersions"));
        Optional<XmlElement> uploads = rule.child("AbortIncompleteMultipartUpload");
        uploads.ifPresent(element -> element.allowOnly("DaysAfterInitiation"));
        return new Actions(
                expiration.flatMap(element -> element.textOf("Days")).map(LifecycleRules::days),
                expiration.flatMap(element -> element.textOf("Date")).map(LifecycleRules::date),
                expiration
                        .flatMap(element -> element.textOf("ExpiredObjectDeleteMarker"))
                        .filter("true"::equals)
                        .isPresent(),
                noncurrent.map(element -> days(element.textOf("NoncurrentDays").orElse("1"))),
                noncurrent
                        .flatMap(element -> element.textOf("NewerNoncurrentVersions"))
                        .map(LifecycleRules::days)
                        .orElse(0),
                uploads.map(
                        element -> days(element.textOf("DaysAfterInitiation").orElse(""))));
    }

    /** Writes the document. */
    public byte[] toDocument() {
        XmlWriter out = new XmlWriter(ROOT);
        for (LifecycleRule rule : rules) {
            out.begin("Rule").element("ID", rule.id());
            if (rule.plainPrefix()) {
                out.element("Prefix", rule.filter().prefix());
            } else {
                writeFilter(out, rule.filter());
            }
            out.element("Status", rule.enabled() ? "Enabled" : "Disabled");
            writeActions(out, rule.actions());
            out.end();
        }
        return out.toBytes();
    }

    private static void writeFilter(XmlWriter out, Filter filter) {
        int parts = filter.tags().size()
                + (filter.prefix().isEmpty() ? 0 : 1)
                + (filter.longerThan().isPresent() ? 1 : 0)
                + (filter.shorterThan().isPresent() ? 1 : 0);
        out.begin("Filter");
        if (parts > 1) {
            out.begin("And");
        }
        if (parts != 1 || !filter.prefix().isEmpty()) {
            out.element("Prefix", filter.prefix());
        }
        filter.tags()
                .forEach((key, value) -> out.begin("Tag")
                        .element("Key", key)
                        .element("Value", value)
                        .end());
        filter.longerThan().ifPresent(bytes -> out.element("ObjectSizeGreaterThan", bytes));
        filter.shorterThan().ifPresent(bytes -> out.element("ObjectSizeLessThan", bytes));
        if (parts > 1) {
            out.end();
        }
        out.end();
    }

    private static void writeActions(XmlWriter out, Actions actions) {
        if (actions.days().isPresent() || actions.date().isPresent() || actions.loneMarkers()) {
            out.begin("Expiration");
            actions.days().ifPresent(days -> out.element("Days", days));
            actions.date().ifPresent(date -> out.element("Date", Times.iso(date)));
            if (actions.loneMarkers()) {
                out.element("ExpiredObjectDeleteMarker", true);
            }
            out.end();
        }
        actions.noncurrentDays().ifPresent(days -> {
            out.begin("NoncurrentVersionExpiration").element("NoncurrentDays", days);
            if (actions.noncurrentKept() > 0) {
                out.element("NewerNoncurrentVersions", actions.noncurrentKept());
            }
            out.end();
        });
        actions.uploadDays()
                .ifPresent(days -> out.begin("AbortIncompleteMultipartUpload")
                        .element("DaysAfterInitiation", days)
                        .end());
    }

    /** Returns the header that tells when the latest version of an object expires; empty if no rule says so. */
    public Optional<String> header(String key, Map<String, String> tags, long length, Instant made) {
        Optional<LifecycleRule> first = Optional.empty();
        Optional<Instant> earliest = Optional.empty();
        for (LifecycleRule rule : rules) {
            if (rule.enabled() && rule.filter().fits(key, tags, length)) {
                Optional<Instant> expiry = rule.expiry(made, Duration.ofDays(1));
                if (expiry.isPresent()
                        && earliest.map(known -> expiry.get().isBefore(known)).orElse(true)) {
                    earliest = expiry;
                    first = Optional.of(rule);
                }
            }
        }
        Optional<Instant> time = earliest;
        return first.flatMap(
                rule -> time.map(when -> "expiry-date=\"" + Times.http(when) + "\", rule-id=\"" + rule.id() + "\""));
    }

    private static int days(String text) {
        if (!text.matches("[0-9]{1,6}") || Integer.parseInt(text) == 0) {
            throw ErrorCode.INVALID_ARGUMENT.because("A number of days or versions must be a positive integer");
        }
        return Integer.parseInt(text);
    }

    private static long number(String text) {
        if (!text.matches("[0-9]{1,18}")) {
            throw XmlElement.malformed("a size is no number");
        }
        return Long.parseLong(text);
    }

    /** Reads a date, which may have a time. */
    private static Instant date(String text) {
        Optional<Instant> time = Times.ofIso(text);
        if (time.isPresent()) {
            if (!time.get().equals(time.get().truncatedTo(ChronoUnit.DAYS))) {
                throw ErrorCode.INVALID_ARGUMENT.because("'Date' must be at midnight GMT");
            }
            return time.get();
        }
        try {
            return LocalDate.parse(text).atStartOfDay(ZoneOffset.UTC).toInstant();
        } catch (DateTimeParseException _) {
            throw XmlElement.malformed("a date is none");
        }
    }
}
