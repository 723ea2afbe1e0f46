package io.bulwark.gateway.s3.permission;

import io.bulwark.gateway.s3.policy.Facts;
import io.bulwark.gateway.s3.request.Exchange;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Facts about a request for the conditions of policies.
 *
 * @param tags of the object that the request is about; empty if there is none
 * @param versionId of the version that it names, also as the source of a copy or as one of many to be deleted
 */
record RequestFacts(Exchange exchange, Map<String, String> tags, Optional<String> versionId) implements Facts {
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
                        .map(RequestFacts::decoded)
                        .map(source -> source.startsWith("/") ? source.substring(1) : source)
                        .toList();
            case "s3:object-lock-mode", "s3:object-lock-retain-until-date", "s3:object-lock-legal-hold" ->
                exchange.headers("x-amz-" + key.substring(HEADER.length()));
            default -> other(key);
        };
    }

    private List<String> other(String key) {
        if (key.startsWith(EXISTING_TAG)) {
            return Optional.ofNullable(tags.get(key.substring(EXISTING_TAG.length()))).stream()
                    .toList();
        }
        if (key.startsWith(REQUEST_TAG)) {
            return requestTags(key.substring(REQUEST_TAG.length()));
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
        return Optional.ofNullable(exchange.query().get(name)).stream().toList();
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            return text;
        }
    }
}
