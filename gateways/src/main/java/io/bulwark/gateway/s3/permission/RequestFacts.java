package io.bulwark.gateway.s3.permission;

import io.bulwark.gateway.s3.policy.Facts;
import io.bulwark.gateway.s3.request.CopySourceHeader;
import io.bulwark.gateway.s3.request.Exchange;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Facts about a request for the conditions of policies.
 *
 * @param tags of the object that the request is about; empty if there is none
 * @param versionId of the version that it names, also as the source of a copy or as one of many to be deleted
 * @param terms those that headers do not decide
 */
record RequestFacts(Exchange exchange, Map<String, String> tags, Optional<String> versionId, RequestTerms terms)
        implements Facts {
    static final String LOCK_MODE = "s3:object-lock-mode";
    static final String LOCK_UNTIL = "s3:object-lock-retain-until-date";
    static final String LOCK_HOLD = "s3:object-lock-legal-hold";

    private static final String EXISTING_TAG = "s3:existingobjecttag/";
    private static final String REQUEST_TAG = "s3:requestobjecttag/";
    private static final String HEADER = "s3:";

    @Override
    public List<String> values(String key) {
        return switch (key) {
            case "aws:referer" -> exchange.headers("referer");
            case "aws:useragent" -> exchange.headers("user-agent");
            case "aws:username" ->
                exchange.caller().key().stream()
                        .map(one -> one.person().toString())
                        .toList();
            case "aws:currenttime" -> List.of(Instant.now().toString());
            case "aws:epochtime" -> List.of(Long.toString(Instant.now().getEpochSecond()));
            case "s3:prefix", "s3:delimiter", "s3:max-keys" -> parameter(key.substring(HEADER.length()));
            case "s3:versionid" -> versionId.stream().toList();
            case "s3:x-amz-copy-source" ->
                exchange.header("x-amz-copy-source").stream()
                        .map(CopySourceHeader::parse)
                        .map(CopySourceHeader::path)
                        .toList();
            case LOCK_MODE, LOCK_UNTIL, LOCK_HOLD ->
                terms.lock()
                        .map(lock -> listOf(lock.get(key)))
                        .orElseGet(() -> exchange.headers("x-amz-" + key.substring(HEADER.length())));
            default -> other(key);
        };
    }

    private List<String> other(String key) {
        if (key.startsWith(EXISTING_TAG)) {
            return listOf(tags.get(key.substring(EXISTING_TAG.length())));
        }
        if (key.startsWith(REQUEST_TAG)) {
            String name = key.substring(REQUEST_TAG.length());
            return terms.tags().map(set -> listOf(set.get(name))).orElseGet(() -> requestTags(name));
        }
        return key.startsWith("s3:x-amz-") ? exchange.headers(key.substring(HEADER.length())) : List.of();
    }

    private List<String> requestTags(String name) {
        List<String> values = new ArrayList<>();
        for (String header : exchange.headers("x-amz-tagging")) {
            for (String pair : header.split("&", -1)) {
                int equals = pair.indexOf('=');
                if (decoded(equals < 0 ? pair : pair.substring(0, equals)).equals(name)) {
                    values.add(equals < 0 ? "" : decoded(pair.substring(equals + 1)));
                }
            }
        }
        return values;
    }

    private List<String> parameter(String name) {
        return listOf(exchange.query().get(name));
    }

    private static List<String> listOf(@Nullable String value) {
        return Optional.ofNullable(value).stream().toList();
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text;
        }
    }
}
