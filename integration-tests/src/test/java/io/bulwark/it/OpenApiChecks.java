package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.NullMarked;
import tools.jackson.databind.JsonNode;

/** Assertions about parts of the console's OpenAPI document. */
@NullMarked
final class OpenApiChecks {
    private OpenApiChecks() {}

    static void assertParametersOfPath(String operation, JsonNode described) {
        Set<String> inPath = new TreeSet<>();
        Arrays.stream(PublishedApi.path(operation).split("/"))
                .filter(each -> each.startsWith("{"))
                .forEach(each -> inPath.add(each.substring(1, each.length() - 1)));
        Set<String> declared = new TreeSet<>();
        if (described.has("parameters")) {
            described.get("parameters").forEach(parameter -> {
                assertThat(parameter.has("schema"))
                        .as(operation + " " + parameter)
                        .isTrue();
                if (parameter.get("in").asString().equals("path")) {
                    declared.add(parameter.get("name").asString());
                }
            });
        }
        assertThat(declared).as(operation).isEqualTo(inPath);
    }

    static void assertReferencesResolve(JsonNode document, JsonNode part) {
        if (part.has("$ref") && part.get("$ref").isString()) {
            String reference = part.get("$ref").asString();
            assertThat(document.at(reference.substring(1)).isMissingNode())
                    .as(reference)
                    .isFalse();
        }
        part.forEach(each -> assertReferencesResolve(document, each));
    }
}
