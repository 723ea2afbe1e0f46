package io.bulwark.gateway.s3.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LifecycleRulesTest {
    private static LifecycleRules read(String rules) {
        return LifecycleRules.read(
                ("<LifecycleConfiguration>" + rules + "</LifecycleConfiguration>").getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void documentsReturnUnchanged() {
        LifecycleRules rules = read("<Rule><ID>a</ID><Prefix>x/</Prefix><Status>Enabled</Status><Expiration>"
                + "<Days>3</Days></Expiration></Rule><Rule><ID>b</ID><Filter><And><Prefix>y</Prefix><Tag><Key>k</Key>"
                + "<Value>v</Value></Tag><ObjectSizeGreaterThan>5</ObjectSizeGreaterThan></And></Filter>"
                + "<Status>Disabled</Status><NoncurrentVersionExpiration><NoncurrentDays>2</NoncurrentDays>"
                + "<NewerNoncurrentVersions>4</NewerNoncurrentVersions></NoncurrentVersionExpiration></Rule>");
        assertThat(LifecycleRules.read(rules.toDocument())).isEqualTo(rules);
    }

    @Test
    void objectsExpireAtTheMidnightAfterTheirDays() {
        LifecycleRules rules = read("<Rule><ID>a</ID><Filter><Tag><Key>k</Key><Value>v</Value></Tag></Filter>"
                + "<Status>Enabled</Status><Expiration><Days>1</Days></Expiration></Rule>");
        Instant made = Instant.parse("2026-11-29T19:00:00Z");
        assertThat(rules.header("x", Map.of("k", "v", "l", "w"), 1, made))
                .contains("expiry-date=\"Tue, 01 Dec 2026 00:00:00 GMT\", rule-id=\"a\"");
        assertThat(rules.header("x", Map.of("k", "w"), 1, made)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "<Prefix/><Status>enabled</Status><Expiration><Days>1</Days></Expiration>,MalformedXML",
        "<Prefix/><Status>Enabled</Status>,MalformedXML",
        "<Prefix/><Status>Enabled</Status><Expiration><Days>0</Days></Expiration>,InvalidArgument",
        "<Prefix/><Status>Enabled</Status><Expiration><Date>20200101</Date></Expiration>,MalformedXML",
        "<Prefix/><Status>Enabled</Status><Transition><Days>1</Days></Transition>,NotImplemented",
        "<Status>Enabled</Status><Expiration><Days>1</Days></Expiration>,MalformedXML",
        "<ID>a&#10;b: c</ID><Prefix/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration>,InvalidArgument",
        "<ID>a&quot;</ID><Prefix/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration>,InvalidArgument",
        "<Prefix/><Status>Enabled</Status><Expiration><Days>1</Days></Expiration><Zzz/>,MalformedXML"
    })
    void rulesThatCannotBeFollowedAreRefused(String rule, String code) {
        assertThatThrownBy(() -> read("<Rule>" + rule + "</Rule>"))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo(code));
    }
}
