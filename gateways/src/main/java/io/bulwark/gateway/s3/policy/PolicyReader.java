package io.bulwark.gateway.s3.policy;

import io.bulwark.gateway.s3.acl.Grantee;
import io.bulwark.gateway.s3.policy.Condition.Operator;
import io.bulwark.gateway.s3.policy.Statement.Patterns;
import io.bulwark.gateway.s3.policy.Statement.Principals;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads policies. All that this gateway would not enforce is refused, so that no rule is silently ignored. */
public final class PolicyReader {
    /** S3 has the same bound. */
    public static final int BYTES_MAX = 20 << 10;

    private static final int DEPTH_MAX = 16;
    private static final Set<String> ELEMENTS = Set.of(
            "Sid",
            "Effect",
            "Principal",
            "NotPrincipal",
            "Action",
            "NotAction",
            "Resource",
            "NotResource",
            "Condition");
    private static final String IF_EXISTS = "IfExists";
    private static final JsonMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(DEPTH_MAX)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private final String bucket;
    private final Set<String> actions;

    private PolicyReader(String bucket, Set<String> actions) {
        this.bucket = bucket;
        this.actions = actions;
    }

    /**
     * Reads the policy of a bucket.
     *
     * @param actions names of all actions that are judged
     * @throws S3Exception if it is not one, or has a part that would not be enforced
     */
    public static BucketPolicy read(byte[] json, String bucket, Set<String> actions) {
        if (json.length > BYTES_MAX) {
            throw malformed("it is longer than " + BYTES_MAX + " bytes");
        }
        JsonNode root;
        try {
            root = JSON.readTree(json);
        } catch (JacksonException e) {
            throw malformed("it is not JSON: " + e.getOriginalMessage());
        }
        return new PolicyReader(bucket, actions).policy(root);
    }

    private BucketPolicy policy(JsonNode root) {
        if (!root.isObject()) {
            throw malformed("it is not an object");
        }
        for (String name : root.propertyNames()) {
            if (!Set.of("Version", "Id", "Statement").contains(name)) {
                throw malformed("it has an unknown element " + name);
            }
        }
        JsonNode version = root.path("Version");
        if (!version.isMissingNode() && !Set.of("2012-10-17", "2008-10-17").contains(version.asString(""))) {
            throw malformed("its version is unknown");
        }
        List<Statement> statements = new ArrayList<>();
        JsonNode list = root.path("Statement");
        for (JsonNode statement : list.isObject() ? List.of(list) : elements(list)) {
            statements.add(statement(statement));
        }
        if (statements.isEmpty()) {
            throw malformed("it has no statement");
        }
        return new BucketPolicy(statements);
    }

    private Statement statement(JsonNode statement) {
        if (!statement.isObject()) {
            throw malformed("a statement is not an object");
        }
        for (String name : statement.propertyNames()) {
            if (!ELEMENTS.contains(name)) {
                throw malformed("a statement has an unknown element " + name);
            }
        }
        String effect = statement.path("Effect").asString("");
        if (!effect.equals("Allow") && !effect.equals("Deny")) {
            throw malformed("an effect is Allow or Deny");
        }
        return new Statement(
                effect.equals("Allow"),
                principals(statement),
                actions(statement),
                resources(statement),
                conditions(statement.path("Condition")));
    }

    private Principals principals(JsonNode statement) {
        boolean except = isException(statement, "Principal");
        JsonNode node = statement.path(except ? "NotPrincipal" : "Principal");
        if (node.isObject()) {
            if (node.size() != 1 || node.path("AWS").isMissingNode()) {
                throw malformed("a principal has another key than AWS");
            }
            node = node.path("AWS");
        } else if (!node.asString("").equals("*")) {
            throw malformed("a principal is \"*\" or {\"AWS\": ...}");
        }
        return new Principals(
                except, texts(node).stream().map(PolicyReader::person).toList());
    }

    /** Reads {@code *}, {@code client-5} or {@code arn:aws:iam:::user/client-5}. */
    private static String person(String principal) {
        String id = principal;
        if (principal.startsWith("arn:aws:iam::")) {
            int user = principal.indexOf(":user/");
            id = user < 0 ? "" : principal.substring(user + ":user/".length());
        }
        if (!id.equals("*") && Grantee.ofPerson(id).isEmpty()) {
            throw malformed("Invalid principal in policy: " + principal
                    + "; persons are named as client-5 or arn:aws:iam:::user/client-5");
        }
        return id;
    }

    private Patterns actions(JsonNode statement) {
        boolean except = isException(statement, "Action");
        List<String> patterns = new ArrayList<>();
        for (String action : texts(statement.path(except ? "NotAction" : "Action"))) {
            String pattern = action.toLowerCase(Locale.ROOT);
            if (actions.stream().noneMatch(known -> Pattern.matches(pattern, known.toLowerCase(Locale.ROOT)))) {
                throw malformed("Policy has invalid action: " + action + " is not one that is judged here");
            }
            patterns.add(pattern);
        }
        return new Patterns(except, patterns);
    }

    private Patterns resources(JsonNode statement) {
        boolean except = isException(statement, "Resource");
        List<String> patterns = texts(statement.path(except ? "NotResource" : "Resource"));
        for (String pattern : patterns) {
            if (pattern.equals("*")) {
                continue;
            }
            int slash = pattern.indexOf('/');
            String name = slash < 0 ? pattern : pattern.substring(0, slash);
            if (!name.startsWith(BucketPolicy.RESOURCE)
                    || !Pattern.matches(name.substring(BucketPolicy.RESOURCE.length()), bucket)) {
                throw malformed("Policy has invalid resource: " + pattern);
            }
        }
        return new Patterns(except, patterns);
    }

    private static List<Condition> conditions(JsonNode node) {
        if (node.isMissingNode()) {
            return List.of();
        }
        if (!node.isObject()) {
            throw malformed("a condition is not an object");
        }
        List<Condition> conditions = new ArrayList<>();
        node.forEachEntry((name, keys) -> {
            boolean ifExists = name.endsWith(IF_EXISTS);
            String operator = ifExists ? name.substring(0, name.length() - IF_EXISTS.length()) : name;
            Operator known = Arrays.stream(Operator.values())
                    .filter(one -> one.name().equals(operator))
                    .findFirst()
                    .orElseThrow(() -> malformed("the condition operator " + name + " is not supported"));
            if (!keys.isObject() || keys.isEmpty()) {
                throw malformed("the condition operator " + name + " names no key");
            }
            keys.forEachEntry((key, values) -> {
                String normal = Condition.normal(key);
                if (!Condition.isKnown(normal)) {
                    throw malformed("the condition key " + key + " is not supported");
                }
                Condition condition = new Condition(known, ifExists, normal, texts(values));
                if (!condition.isComparable()) {
                    throw malformed(name + " cannot compare the condition key " + key + " with " + condition.values());
                }
                conditions.add(condition);
            });
        });
        return conditions;
    }

    private static boolean isException(JsonNode statement, String name) {
        boolean positive = statement.has(name);
        if (positive == statement.has("Not" + name)) {
            throw malformed("a statement has just one of " + name + " and Not" + name);
        }
        return !positive;
    }

    private static List<String> texts(JsonNode node) {
        List<String> texts = new ArrayList<>();
        for (JsonNode one : node.isArray() ? elements(node) : List.of(node)) {
            if (!one.isString() && !one.isBoolean() && !one.isNumber()) {
                throw malformed("a text is missing");
            }
            String text = Optional.ofNullable(one.asString()).orElse("");
            if (text.contains("${")) {
                throw malformed("policy variables are not supported");
            }
            texts.add(text);
        }
        if (texts.isEmpty()) {
            throw malformed("a list is empty");
        }
        return texts;
    }

    private static List<JsonNode> elements(JsonNode array) {
        List<JsonNode> elements = new ArrayList<>();
        if (array.isArray()) {
            array.forEach(elements::add);
        }
        return elements;
    }

    private static S3Exception malformed(String problem) {
        return ErrorCode.MALFORMED_POLICY.because("The policy cannot be used: " + problem + ".");
    }
}
