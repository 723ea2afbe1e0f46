package io.bulwark.appliance.cli;

import io.bulwark.client.ObjectInfo;
import java.util.LinkedHashMap;
import java.util.Map;

/** An object for people and for scripts. */
final class ObjectText {
    private ObjectText() {}

    static Map<String, Object> json(ObjectInfo object) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("bucket", object.bucket());
        json.put("key", object.key());
        json.put("version", object.version());
        json.put("bytes", object.length());
        json.put("modified", object.modified().toString());
        json.put("contentType", object.contentType());
        json.put("tags", object.tags());
        json.put("properties", object.properties());
        json.put("lock", LockText.of(object.lock()));
        json.put("encrypted", object.encrypted());
        return json;
    }

    static String line(ObjectInfo object) {
        return object.bucket() + "/" + Text.printable(object.key()) + " (" + Text.bytes(object.length()) + ", version "
                + object.version() + ")";
    }
}
