package io.bulwark.gateway.s3.permission;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Terms of a request that policies judge and that its headers do not decide: a document, or the source of a copy, does.
 * Headers of these families then count nothing, so that nobody satisfies a policy with a header that has no effect.
 *
 * @param tags of the user that the request sets
 * @param lock retention and legal hold that the request sets, by the names of condition keys
 */
public record RequestTerms(Optional<Map<String, String>> tags, Optional<Map<String, String>> lock) {
    /** Headers decide all. */
    static final RequestTerms OF_HEADERS = new RequestTerms(Optional.empty(), Optional.empty());

    public RequestTerms {
        tags = tags.map(Map::copyOf);
        lock = lock.map(Map::copyOf);
    }

    /** Returns the terms of a request that sets these tags. */
    public static RequestTerms ofTags(Map<String, String> tags) {
        return new RequestTerms(Optional.of(tags), Optional.empty());
    }

    /** Returns the terms of a request that sets this retention; nothing in it removes one. */
    public static RequestTerms ofRetention(Optional<String> mode, Optional<String> until) {
        Map<String, String> lock = new HashMap<>();
        mode.ifPresent(name -> lock.put(RequestFacts.LOCK_MODE, name));
        until.ifPresent(time -> lock.put(RequestFacts.LOCK_UNTIL, time));
        return new RequestTerms(Optional.empty(), Optional.of(lock));
    }

    /** Returns the terms of a request that sets a legal hold to this status. */
    public static RequestTerms ofLegalHold(String status) {
        return new RequestTerms(Optional.empty(), Optional.of(Map.of(RequestFacts.LOCK_HOLD, status)));
    }
}
