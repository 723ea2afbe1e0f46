package io.bulwark.gateway.s3.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PostPolicyTest {
    private static final Instant NOW = Instant.parse("2026-11-29T12:00:00Z");
    private static final String START = "{\"expiration\": \"2026-11-30T12:00:00.000Z\", \"conditions\": ";

    private static PostPolicy parse(String json) {
        return PostPolicy.parse(Base64.getEncoder().encodeToString(json.getBytes(StandardCharsets.UTF_8)));
    }

    private static void enforce(String conditions, Map<String, String> fields) {
        parse(START + conditions + "}").enforce(new TreeMap<>(fields), NOW);
    }

    @Test
    void aFormThatMeetsAllConditionsIsTaken() {
        assertThatCode(() -> enforce(
                        "[{\"bucket\": \"b\"}, [\"starts-with\", \"$Key\", \"user/\"], [\"eq\", \"$acl\","
                                + " \"private\"]]",
                        Map.of("bucket", "b", "key", "user/x", "acl", "private", "x-ignore-me", "1", "policy", "p")))
                .doesNotThrowAnyException();
    }

    @Test
    void eachConditionMustBeMet() {
        String conditions = "[{\"bucket\": \"b\"}, [\"starts-with\", \"$key\", \"user/\"]]";
        for (Map<String, String> fields : List.of(
                Map.of("bucket", "c", "key", "user/x"),
                Map.of("bucket", "b", "key", "other/x"),
                Map.of("bucket", "b"),
                Map.of("bucket", "b", "key", "user/x", "acl", "public-read"))) {
            assertThatThrownBy(() -> enforce(conditions, fields))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.code()).isEqualTo("AccessDenied"));
        }
    }

    @Test
    void aPolicyExpires() {
        PostPolicy policy = parse(START + "[{\"bucket\": \"b\"}]}");
        Instant end = Instant.parse("2026-11-30T12:00:00Z");
        policy.enforce(new TreeMap<>(Map.of("bucket", "b")), end.minusMillis(1));
        assertThatThrownBy(() -> policy.enforce(new TreeMap<>(Map.of("bucket", "b")), end))
                .hasMessageContaining("Policy expired");
    }

    @Test
    void theSizeHasBounds() {
        PostPolicy policy = parse(START + "[[\"content-length-range\", 10, \"20\"]]}");
        assertThat(policy.sizeMin()).isEqualTo(10);
        assertThat(policy.sizeMax()).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "[]",
                "{}",
                "{\"conditions\": [{\"a\": \"b\"}]}",
                "{\"expiration\": \"2026-11-30T12:00:00.000Z\"}",
                "{\"EXPIRATION\": \"2026-11-30T12:00:00.000Z\", \"conditions\": [{\"a\": \"b\"}]}",
                "{\"expiration\": \"tomorrow\", \"conditions\": [{\"a\": \"b\"}]}",
                START + "[]}",
                START + "[{}]}",
                START + "[{\"a\": 1}]}",
                START + "[[\"eq\", \"key\", \"k\"]]}",
                START + "[[\"ends-with\", \"$key\", \"k\"]]}",
                START + "[[\"eq\", \"$key\"]]}",
                START + "[[\"content-length-range\", -1, 5]]}",
                START + "[[\"content-length-range\", 1]]}",
                START + "[[\"content-length-range\", 1, 99999999999999999999]]}",
                START + "[{\"a\": \"b\"}]} x",
                START + "[[[[[[[[1]]]]]]]]}"
            })
    void otherDocumentsAreRefused(String json) {
        assertThatThrownBy(() -> parse(json))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("InvalidPolicyDocument"));
    }
}
