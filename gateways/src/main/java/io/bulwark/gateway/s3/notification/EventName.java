package io.bulwark.gateway.s3.notification;

import io.bulwark.protocol.metadata.ObjectEvent;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Events of S3 that buckets record. Uploads with a form count as puts, expired objects as deleted ones. */
enum EventName {
    CREATED_PUT("ObjectCreated:Put", ObjectEvent.Kind.PUT),
    CREATED_COPY("ObjectCreated:Copy", ObjectEvent.Kind.COPY),
    CREATED_BY_PARTS("ObjectCreated:CompleteMultipartUpload", ObjectEvent.Kind.COMPLETE_UPLOAD),
    REMOVED("ObjectRemoved:Delete", ObjectEvent.Kind.DELETE),
    MARKER_CREATED("ObjectRemoved:DeleteMarkerCreated", ObjectEvent.Kind.DELETE_MARKER),
    TAGS_PUT("ObjectTagging:Put", ObjectEvent.Kind.PUT_TAGS),
    TAGS_DELETED("ObjectTagging:Delete", ObjectEvent.Kind.DELETE_TAGS);

    private static final String PREFIX = "s3:";
    private static final String ALL = "*";

    private final String text;
    private final ObjectEvent.Kind kind;

    EventName(String text, ObjectEvent.Kind kind) {
        this.text = text;
        this.kind = kind;
    }

    /** Returns the name in notifications. */
    String text() {
        return text;
    }

    static EventName of(ObjectEvent.Kind kind) {
        return Arrays.stream(values())
                .filter(name -> name.kind == kind)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("an event without a name: " + kind));
    }

    /** Returns the events that a name in a configuration stands for; empty if buckets do not record them. */
    static Optional<Set<EventName>> named(String configured) {
        if (!configured.startsWith(PREFIX)) {
            return Optional.empty();
        }
        String name = configured.substring(PREFIX.length());
        Set<EventName> found = Arrays.stream(values())
                .filter(event -> name.endsWith(":" + ALL)
                        ? event.text.startsWith(name.substring(0, name.length() - ALL.length()))
                        : event.text.equals(name))
                .collect(Collectors.toCollection(() -> EnumSet.noneOf(EventName.class)));
        return found.isEmpty() ? Optional.empty() : Optional.of(found);
    }
}
