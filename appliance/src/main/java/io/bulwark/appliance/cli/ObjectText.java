package io.bulwark.appliance.cli;

import io.bulwark.client.ObjectInfo;
import java.util.Map;

/** An object for people and for scripts. */
final class ObjectText {
    private ObjectText() {}

    static ObjectView json(ObjectInfo object) {
        return ObjectView.of(object, object.properties());
    }

    /** @param properties those of the object that are shown */
    static ObjectView json(ObjectInfo object, Map<String, String> properties) {
        return ObjectView.of(object, properties);
    }

    static String line(ObjectInfo object) {
        return object.bucket() + "/" + Text.printable(object.key()) + " (" + Text.bytes(object.length()) + ", version "
                + object.version() + ")";
    }

    /** An object for scripts. */
    record ObjectView(
            String bucket,
            String key,
            long version,
            long bytes,
            String modified,
            String contentType,
            Map<String, String> tags,
            Map<String, String> properties,
            String lock,
            boolean encrypted) {
        private static ObjectView of(ObjectInfo object, Map<String, String> properties) {
            return new ObjectView(
                    object.bucket(),
                    object.key(),
                    object.version(),
                    object.length(),
                    object.modified().toString(),
                    object.contentType(),
                    object.tags(),
                    properties,
                    LockText.of(object.lock()),
                    object.encrypted());
        }
    }
}
