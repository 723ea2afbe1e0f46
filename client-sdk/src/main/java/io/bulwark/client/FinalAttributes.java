package io.bulwark.client;

import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.object.ObjectAttributes;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Attributes of what is put: those that were known at the beginning, and those that are known at its end. */
final class FinalAttributes {
    private final PutOptions options;
    private final Subject subject;
    private @Nullable ObjectAttributes known;

    /** Refuses attributes that are too large before anything is stored. */
    FinalAttributes(PutOptions options, Subject subject) {
        this.options = options;
        this.subject = subject;
        var ignored = attributes(options.properties());
    }

    /** Returns all of them; to be called once the content has ended. The final properties are asked for once. */
    ObjectAttributes get() {
        ObjectAttributes all = known;
        if (all == null) {
            SortedMap<String, String> properties = new TreeMap<>(options.properties());
            for (Map.Entry<String, String> added :
                    options.finalProperties().get().entrySet()) {
                if (properties.put(added.getKey(), added.getValue()) != null) {
                    throw new InvalidRequestException("the property " + added.getKey() + " is given twice", subject);
                }
            }
            all = attributes(properties);
            known = all;
        }
        return all;
    }

    private ObjectAttributes attributes(SortedMap<String, String> properties) {
        try {
            return new ObjectAttributes(options.contentType(), options.tags(), properties);
        } catch (IllegalArgumentException e) {
            throw new InvalidRequestException(String.valueOf(e.getMessage()), subject, e);
        }
    }
}
