package io.bulwark.gateway.s3.notification;

import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.xml.XmlElement;
import io.bulwark.gateway.s3.xml.XmlReader;
import io.bulwark.gateway.s3.xml.XmlWriter;
import io.bulwark.protocol.metadata.ObjectEvent;
import io.bulwark.protocol.metadata.Webhook;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * Events of a bucket that its webhook hears of. A bucket has one webhook: its log is acknowledged as a whole, so that a
 * receiver that is down holds up no other one.
 *
 * @param webhook empty if there are no rules
 */
public record NotificationRules(String webhook, List<Rule> rules) {
    private static final String ROOT = "NotificationConfiguration";
    private static final String QUEUE = "QueueConfiguration";
    private static final int RULES_MAX = 100;
    private static final int EVENTS_MAX = 20;
    private static final int ID_MAX = 255;
    private static final int AFFIX_MAX = 1024;

    /**
     * One rule.
     *
     * @param events names as they were configured
     * @param prefix of the key; empty if there is none
     * @param suffix of the key; empty if there is none
     */
    record Rule(String id, List<String> events, Optional<String> prefix, Optional<String> suffix) {
        Rule {
            events = List.copyOf(events);
            if (events.size() > EVENTS_MAX) {
                throw XmlElement.malformed("a configuration names at most " + EVENTS_MAX + " events");
            }
        }

        private boolean fits(ObjectEvent event) {
            return event.key().startsWith(prefix.orElse(""))
                    && event.key().endsWith(suffix.orElse(""))
                    && events.stream()
                            .anyMatch(
                                    name -> EventName.named(name).orElseThrow().contains(EventName.of(event.kind())));
        }
    }

    public NotificationRules {
        rules = List.copyOf(rules);
    }

    /** Returns the id of the first rule that fits; empty if nobody hears of the event. */
    Optional<String> ruleFor(ObjectEvent event) {
        return rules.stream().filter(rule -> rule.fits(event)).map(Rule::id).findFirst();
    }

    /** Reads the document of a request, or the one that was kept. */
    public static NotificationRules read(byte[] document) {
        return read(XmlReader.read(new ByteArrayInputStream(document), ROOT));
    }

    private static NotificationRules read(XmlElement root) {
        for (String other : List.of("TopicConfiguration", "CloudFunctionConfiguration", "EventBridgeConfiguration")) {
            if (!root.all(other).isEmpty()) {
                throw ErrorCode.NOT_IMPLEMENTED.because(
                        "There are no receivers of " + other + " here, only webhooks as " + QUEUE + ".");
            }
        }
        root.allowOnly(QUEUE);
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        Set<String> webhooks = new HashSet<>();
        for (XmlElement element : root.all(QUEUE)) {
            element.allowOnly("Id", "Queue", "Event", "Filter");
            webhooks.add(webhook(element.required("Queue").text().strip()));
            Rule rule = rule(element);
            if (!ids.add(rule.id)) {
                throw ErrorCode.INVALID_ARGUMENT.because("Configurations have different Ids.");
            }
            rules.add(rule);
        }
        if (rules.size() > RULES_MAX) {
            throw XmlElement.malformed("it has at most " + RULES_MAX + " configurations");
        }
        if (webhooks.size() > 1) {
            throw ErrorCode.NOT_IMPLEMENTED.because("All configurations of a bucket name the same webhook here.");
        }
        return new NotificationRules(webhooks.stream().findFirst().orElse(""), rules);
    }

    private static String webhook(String arn) {
        String name = arn.startsWith(Webhook.QUEUE_PREFIX) ? arn.substring(Webhook.QUEUE_PREFIX.length()) : "";
        if (name.isEmpty()) {
            throw unknown(arn);
        }
        return name;
    }

    /** Returns the refusal of a receiver that no operator has named. */
    public static RuntimeException unknown(String receiver) {
        return ErrorCode.INVALID_ARGUMENT.because("Unable to validate the destination " + receiver + ": a Queue is "
                + Webhook.QUEUE_PREFIX + "NAME, where NAME is a webhook that an operator has named.");
    }

    private static Rule rule(XmlElement element) {
        String id = element.textOf("Id")
                .filter(text -> !text.isEmpty())
                .orElseGet(() -> UUID.randomUUID().toString());
        if (id.length() > ID_MAX) {
            throw ErrorCode.INVALID_ARGUMENT.because("An Id has at most " + ID_MAX + " characters.");
        }
        List<String> events =
                element.all("Event").stream().map(event -> event.text().strip()).toList();
        if (events.isEmpty()) {
            throw XmlElement.malformed("a configuration has no Event");
        }
        for (String event : events) {
            if (EventName.named(event).isEmpty()) {
                throw event.startsWith("s3:")
                        ? ErrorCode.NOT_IMPLEMENTED.because("Buckets do not record the event " + event + " here.")
                        : ErrorCode.INVALID_ARGUMENT.because("The event is unknown: " + event);
            }
        }
        Optional<XmlElement> key = element.child("Filter").flatMap(filter -> {
            filter.allowOnly("S3Key");
            return filter.child("S3Key");
        });
        return new Rule(id, events, affix(key, "prefix"), affix(key, "suffix"));
    }

    private static Optional<String> affix(Optional<XmlElement> key, String wanted) {
        if (key.isEmpty()) {
            return Optional.empty();
        }
        key.get().allowOnly("FilterRule");
        List<String> found = new ArrayList<>();
        for (XmlElement rule : key.get().all("FilterRule")) {
            rule.allowOnly("Name", "Value");
            String name = rule.required("Name").text().strip().toLowerCase(Locale.ROOT);
            if (!name.equals("prefix") && !name.equals("suffix")) {
                throw ErrorCode.INVALID_ARGUMENT.because("filter rule name must be either prefix or suffix");
            }
            if (name.equals(wanted)) {
                found.add(rule.child("Value").map(XmlElement::text).orElse(""));
            }
        }
        if (found.size() > 1 || found.stream().anyMatch(value -> value.length() > AFFIX_MAX)) {
            throw ErrorCode.INVALID_ARGUMENT.because(
                    "A filter has one " + wanted + " of at most " + AFFIX_MAX + " characters.");
        }
        return found.stream().findFirst();
    }

    /** Returns the document, with an id for each rule. */
    public byte[] toBytes() {
        XmlWriter out = new XmlWriter(ROOT);
        for (Rule rule : rules) {
            out.begin(QUEUE).element("Id", rule.id).element("Queue", Webhook.QUEUE_PREFIX + webhook);
            rule.events.forEach(event -> out.element("Event", event));
            if (rule.prefix.isPresent() || rule.suffix.isPresent()) {
                out.begin("Filter").begin("S3Key");
                rule.prefix.ifPresent(value -> writeFilter(out, "prefix", value));
                rule.suffix.ifPresent(value -> writeFilter(out, "suffix", value));
                out.end().end();
            }
            out.end();
        }
        return out.toBytes();
    }

    private static void writeFilter(XmlWriter out, String name, String value) {
        out.begin("FilterRule").element("Name", name).element("Value", value).end();
    }
}
