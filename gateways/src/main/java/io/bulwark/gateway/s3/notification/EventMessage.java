package io.bulwark.gateway.s3.notification;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import io.bulwark.client.EventLogs;
import io.bulwark.gateway.s3.call.EntityTags;
import io.bulwark.gateway.s3.call.VersionIds;
import io.bulwark.protocol.metadata.ObjectEvent;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Message about events in the JSON form of S3, version 2.1. */
@JsonInclude(JsonInclude.Include.NON_NULL)
record EventMessage(@JsonProperty("Records") List<Entry> entries) {
    private static final JsonMapper JSON = new JsonMapper();

    /** One event. */
    record Entry(
            String eventVersion,
            String eventSource,
            String awsRegion,
            String eventTime,
            String eventName,
            Map<String, String> userIdentity,
            Subject s3) {
        static Entry of(EventLogs.Entry entry, String rule, EventLogs.EventLog log) {
            ObjectEvent event = entry.event();
            BucketPart bucket =
                    new BucketPart(log.bucket(), identity(log.creator().toString()), "arn:aws:s3:::" + log.bucket());
            return new Entry(
                    "2.1",
                    "aws:s3",
                    "us-east-1",
                    Instant.ofEpochMilli(event.atMillis()).toString(),
                    EventName.of(event.kind()).text(),
                    identity(event.by().toString()),
                    new Subject("1.0", rule, bucket, ObjectPart.of(entry)));
        }

        private static Map<String, String> identity(String principal) {
            return Map.of("principalId", principal);
        }
    }

    /** Bucket and object of an event. */
    record Subject(
            @JsonProperty("s3SchemaVersion") String schema,
            String configurationId,
            BucketPart bucket,
            ObjectPart object) {}

    /** Bucket of an event. */
    record BucketPart(String name, Map<String, String> ownerIdentity, String arn) {}

    /**
     * Object of an event.
     *
     * @param size null for a deletion, as the tag is
     * @param versionId null for a null version
     * @param sequencer ascends, as a text, with the events of a bucket
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ObjectPart(
            String key,
            @Nullable Long size,
            @Nullable @JsonProperty("eTag") String tag,
            @Nullable String versionId,
            String sequencer) {
        private static ObjectPart of(EventLogs.Entry entry) {
            ObjectEvent event = entry.event();
            boolean isRemoved =
                    event.kind() == ObjectEvent.Kind.DELETE || event.kind() == ObjectEvent.Kind.DELETE_MARKER;
            Map<String, String> tag = event.tag().isEmpty() ? Map.of() : Map.of(EntityTags.PROPERTY, event.tag());
            return new ObjectPart(
                    URLEncoder.encode(event.key(), StandardCharsets.UTF_8).replace("%2F", "/"),
                    isRemoved ? null : event.length(),
                    isRemoved ? null : EntityTags.of(event.version(), tag),
                    event.nullVersion() ? null : VersionIds.of(event.version(), false),
                    String.format(Locale.ROOT, "%016X", entry.position()));
        }
    }

    byte[] toBytes() {
        return JSON.writeValueAsBytes(this);
    }
}
