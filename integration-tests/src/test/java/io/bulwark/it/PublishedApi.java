package io.bulwark.it;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** OpenAPI document that a console publishes, against which answers are checked. */
final class PublishedApi {
    private static final Set<String> METHODS =
            Set.of("get", "head", "put", "post", "delete", "patch", "options", "trace");

    private final JsonNode document;
    private final Set<String> operations = new TreeSet<>();

    PublishedApi(JsonNode document) {
        this.document = document;
        document.get("paths")
                .properties()
                .forEach(path -> path.getValue().propertyNames().stream()
                        .filter(METHODS::contains)
                        .forEach(method -> operations.add(method.toUpperCase(Locale.ROOT) + " " + path.getKey())));
    }

    JsonNode document() {
        return document;
    }

    /** Returns the method and path of each operation, such as {@code GET /api/v1/buckets/{bucket}}. */
    Set<String> operations() {
        return operations;
    }

    /** Finds the operation that answers a request; of several, the one whose path has the fewest parameters. */
    Optional<String> operation(String method, String target) {
        String[] asked = target.split("\\?", 2)[0].split("/", -1);
        return operations.stream()
                .filter(each ->
                        each.startsWith(method + " ") && matches(path(each).split("/", -1), asked))
                .min(Comparator.comparingLong(
                        each -> each.chars().filter(c -> c == '{').count()));
    }

    private static boolean matches(String[] template, String[] asked) {
        if (template.length != asked.length) {
            return false;
        }
        for (int i = 0; i < asked.length; i++) {
            if (!template[i].startsWith("{") && !template[i].equals(asked[i])) {
                return false;
            }
        }
        return true;
    }

    static String path(String operation) {
        return operation.substring(operation.indexOf(' ') + 1);
    }

    static String method(String operation) {
        return operation.substring(0, operation.indexOf(' '));
    }

    JsonNode description(String operation) {
        return document.get("paths").get(path(operation)).get(method(operation).toLowerCase(Locale.ROOT));
    }

    /**
     * Compares an answer with its description.
     *
     * @param type media type; empty if there is no body
     * @param json null if the body is not read or is no JSON
     * @return how they differ; nothing if they do not
     */
    List<String> differences(String operation, int status, String type, @Nullable JsonNode json) {
        List<String> found = new ArrayList<>();
        JsonNode described = description(operation).get("responses").get(Integer.toString(status));
        if (described == null) {
            return List.of("the status " + status + " is not documented");
        }
        JsonNode content = described.get("content");
        if (type.isEmpty()) {
            return found;
        }
        String media = type.split(";", 2)[0];
        if (content == null) {
            if (json != null) {
                found.add("no content is documented for " + status + ", but there is " + media);
            }
            return found;
        }
        if (!content.has(media)) {
            found.add("the media type " + media + " is not documented for " + status);
        } else if (json != null && content.get(media).has("schema")) {
            compare(json, content.get(media).get("schema"), "body", found);
        }
        return found;
    }

    private void compare(JsonNode value, JsonNode schema, String at, List<String> found) {
        if (schema.has("$ref")) {
            String name = schema.get("$ref").asString();
            JsonNode meant = document.get("components").get("schemas").get(name.substring(name.lastIndexOf('/') + 1));
            if (meant == null) {
                found.add(at + ": there is no schema " + name);
            } else {
                compare(value, meant, at, found);
            }
            return;
        }
        for (String choice : List.of("anyOf", "oneOf")) {
            if (schema.has(choice) && schema.get(choice).valueStream().noneMatch(each -> fits(value, each))) {
                found.add(at + ": fits none of " + schema.get(choice));
            }
        }
        List<String> types = new ArrayList<>();
        if (schema.has("type")) {
            JsonNode type = schema.get("type");
            if (type.isArray()) {
                type.forEach(each -> types.add(each.asString()));
            } else {
                types.add(type.asString());
            }
        }
        if (!types.isEmpty() && types.stream().noneMatch(type -> is(value, type))) {
            found.add(at + ": " + types + " is documented, but it is " + value);
        } else if (value.isObject()) {
            compareFields(value, schema, at, found);
        } else if (value.isArray() && schema.has("items")) {
            for (int i = 0; i < value.size(); i++) {
                compare(value.get(i), schema.get("items"), at + "[" + i + "]", found);
            }
        } else if (schema.has("enum")
                && !value.isNull()
                && schema.get("enum").valueStream().noneMatch(value::equals)) {
            found.add(at + ": none of " + schema.get("enum") + ", but " + value);
        }
    }

    private boolean fits(JsonNode value, JsonNode schema) {
        List<String> found = new ArrayList<>();
        compare(value, schema, "", found);
        return found.isEmpty();
    }

    private void compareFields(JsonNode value, JsonNode schema, String at, List<String> found) {
        JsonNode fields = schema.get("properties");
        JsonNode others = schema.get("additionalProperties");
        if (schema.has("required")) {
            schema.get("required").forEach(name -> {
                if (!value.has(name.asString())) {
                    found.add(at + ": the required field " + name + " is missing");
                }
            });
        }
        value.properties().forEach(field -> {
            String name = at + "." + field.getKey();
            if (fields != null && fields.has(field.getKey())) {
                compare(field.getValue(), fields.get(field.getKey()), name, found);
            } else if (others != null && others.isObject()) {
                compare(field.getValue(), others, name, found);
            } else if (fields != null && (others == null || !others.asBoolean())) {
                found.add(name + " is not documented");
            }
        });
    }

    private static boolean is(JsonNode value, String type) {
        return switch (type) {
            case "null" -> value.isNull();
            case "object" -> value.isObject();
            case "array" -> value.isArray();
            case "string" -> value.isString();
            case "boolean" -> value.isBoolean();
            case "integer" -> value.isIntegralNumber();
            case "number" -> value.isNumber();
            default -> false;
        };
    }
}
