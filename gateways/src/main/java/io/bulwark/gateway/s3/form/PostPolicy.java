package io.bulwark.gateway.s3.form;

import io.bulwark.gateway.s3.request.S3Exception;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Conditions that a POST form must meet. "POST policy" of the S3 API reference: each field needs a condition.
 *
 * @param sizeMin least bytes of the file
 * @param sizeMax most bytes of the file
 */
public record PostPolicy(Instant expiration, List<Condition> conditions, long sizeMin, long sizeMax) {
    private static final int DEPTH_MAX = 4;
    private static final Set<String> FREE_FIELDS = Set.of("policy", "x-amz-signature", "file");
    private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");
    private static final String FREE_PREFIX = "x-ignore-";
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    public PostPolicy {
        conditions = List.copyOf(conditions);
    }

    /**
     * Demand on one field.
     *
     * @param field lower case
     * @param isPrefix the value need only begin with the text
     */
    public record Condition(String field, String text, boolean isPrefix) {
        boolean isMetBy(String value) {
            return isPrefix ? value.startsWith(text) : value.equals(text);
        }
    }

    /**
     * Reads the field {@code policy}.
     *
     * @throws S3Exception {@code InvalidPolicyDocument} if it is none
     */
    public static PostPolicy parse(String base64) {
        JsonNode root;
        try {
            root = JSON.readTree(Base64.getDecoder().decode(base64));
        } catch (JacksonException | IllegalArgumentException e) {
            throw invalid("it is not base64 of JSON");
        }
        if (!root.isObject()
                || !root.path("expiration").isString()
                || !root.path("conditions").isArray()) {
            throw invalid("it needs an expiration and conditions");
        }
        if (root.size() != 2) {
            throw invalid("it has other members than expiration and conditions");
        }
        Instant expiration;
        try {
            expiration = Instant.parse(root.path("expiration").stringValue());
        } catch (DateTimeException e) {
            throw invalid("its expiration is no time as 2015-12-30T12:00:00.000Z");
        }
        if (root.path("conditions").isEmpty()) {
            throw invalid("it has no conditions");
        }
        List<Condition> conditions = new ArrayList<>();
        long[] range = {0, Long.MAX_VALUE};
        for (JsonNode condition : root.path("conditions")) {
            addCondition(condition, conditions, range);
        }
        return new PostPolicy(expiration, conditions, range[0], range[1]);
    }

    private static void addCondition(JsonNode condition, List<Condition> conditions, long[] range) {
        if (condition.isObject()) {
            if (condition.isEmpty()) {
                throw invalid("a condition is empty");
            }
            for (Map.Entry<String, JsonNode> property : condition.properties()) {
                conditions.add(new Condition(lower(property.getKey()), text(property.getValue()), false));
            }
            return;
        }
        if (!condition.isArray() || condition.size() != 3) {
            throw invalid("a condition is neither an object nor a list of three");
        }
        switch (text(condition.get(0)).toLowerCase(Locale.ROOT)) {
            case "eq" -> conditions.add(new Condition(field(condition), text(condition.get(2)), false));
            case "starts-with" -> conditions.add(new Condition(field(condition), text(condition.get(2)), true));
            case "content-length-range" -> {
                range[0] = Math.max(range[0], size(condition.get(1)));
                range[1] = Math.min(range[1], size(condition.get(2)));
            }
            default -> throw invalid("a condition has an unknown operator");
        }
    }

    private static String lower(String name) {
        return name.toLowerCase(Locale.ROOT);
    }

    private static String field(JsonNode condition) {
        String name = text(condition.get(1));
        if (!name.startsWith("$")) {
            throw invalid("the field of a condition does not begin with $");
        }
        return lower(name.substring(1));
    }

    private static String text(JsonNode node) {
        if (!node.isString()) {
            throw invalid("a condition has a value that is no text");
        }
        return node.stringValue();
    }

    private static long size(JsonNode node) {
        String text = node.isString() || node.isIntegralNumber() ? node.asString() : "";
        if (!SIZE.matcher(text).matches()) {
            throw invalid("the content-length-range is not two numbers");
        }
        return Long.parseLong(text);
    }

    /**
     * Compares a form with the conditions.
     *
     * @param fields by lower-case name, {@code bucket} included, the key with the file's name inserted
     * @throws S3Exception {@code AccessDenied} if it does not meet them
     */
    public void enforce(SortedMap<String, String> fields, Instant now) {
        if (!now.isBefore(expiration)) {
            throw denied("Policy expired.");
        }
        Set<String> covered = new HashSet<>();
        for (Condition condition : conditions) {
            String value = fields.getOrDefault(condition.field(), "");
            if (!condition.isMetBy(value)) {
                throw denied("Policy Condition failed: [\"" + (condition.isPrefix() ? "starts-with" : "eq") + "\", \"$"
                        + condition.field() + "\", \"" + condition.text() + "\"]");
            }
            covered.add(condition.field());
        }
        for (String name : fields.keySet()) {
            if (!covered.contains(name) && !FREE_FIELDS.contains(name) && !name.startsWith(FREE_PREFIX)) {
                throw denied("Extra input fields: " + name);
            }
        }
    }

    private static S3Exception denied(String reason) {
        return new S3Exception(403, "AccessDenied", "Invalid according to Policy: " + reason);
    }

    private static S3Exception invalid(String reason) {
        return new S3Exception(400, "InvalidPolicyDocument", "Invalid Policy: " + reason + ".");
    }
}
