package io.bulwark.gateway.s3.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.policy.BucketPolicy.Verdict;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.id.PrincipalId;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PolicyReaderTest {
    private static final Set<String> ACTIONS = Set.of("s3:GetObject", "s3:PutObject", "s3:ListBucket");
    private static final Optional<PrincipalId> PERSON = Optional.of(PrincipalId.client(5));
    private static final Facts NOTHING = _ -> List.of();

    private static BucketPolicy read(String json) {
        return PolicyReader.read(json.replace('\'', '"').getBytes(StandardCharsets.UTF_8), "films", ACTIONS);
    }

    private static String statement(String elements) {
        return "{'Version':'2012-10-17','Statement':[{" + elements + "}]}";
    }

    @Test
    void denialOutweighsPermission() {
        BucketPolicy policy = read("{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*',"
                + "'Resource':'arn:aws:s3:::films/*'},{'Effect':'Deny','Principal':{'AWS':'client-5'},"
                + "'Action':['s3:PutObject'],'Resource':'arn:aws:s3:::films/old/*'}]}");
        assertThat(policy.judge(PERSON, "s3:PutObject", "films/old/a", NOTHING)).isEqualTo(Verdict.DENIED);
        assertThat(policy.judge(PERSON, "s3:PutObject", "films/new", NOTHING)).isEqualTo(Verdict.ALLOWED);
        assertThat(policy.judge(Optional.empty(), "s3:PutObject", "films/old/a", NOTHING))
                .isEqualTo(Verdict.ALLOWED);
        assertThat(policy.judge(PERSON, "s3:ListBucket", "films", NOTHING)).isEqualTo(Verdict.SILENT);
        assertThat(policy.isPublic()).isTrue();
    }

    @Test
    void conditionsAreJudged() {
        BucketPolicy policy = read(statement("'Effect':'Allow','Principal':{'AWS':['*']},'Action':'s3:GetObject',"
                + "'Resource':'arn:aws:s3:::films/*','Condition':{'StringLikeIfExists':"
                + "{'aws:Referer':'http://a.example/*'},'StringEquals':{'s3:ExistingObjectTag/Level':'open'}}"));
        Map<String, List<String>> facts = Map.of("s3:existingobjecttag/Level", List.of("open"));
        assertThat(policy.judge(PERSON, "s3:GetObject", "films/a", key -> facts.getOrDefault(key, List.of())))
                .isEqualTo(Verdict.ALLOWED);
        Map<String, List<String>> elsewhere =
                Map.of("s3:existingobjecttag/Level", List.of("open"), "aws:referer", List.of("http://b.example/"));
        assertThat(policy.judge(PERSON, "s3:GetObject", "films/a", key -> elsewhere.getOrDefault(key, List.of())))
                .isEqualTo(Verdict.SILENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'StringLike':{'aws:Referer':'*'}",
                "'StringNotEquals':{'aws:UserAgent':'none'}",
                "'StringEqualsIfExists':{'aws:username':'client-5'}",
                "'StringNotEquals':{'aws:username':'client-5'}"
            })
    void aConditionThatEverybodyCanMeetKeepsAPolicyPublic(String condition) {
        String statement = "'Effect':'Allow','Principal':'*','Action':'s3:GetObject','Resource':'*','Condition':{";
        assertThat(read(statement(statement + condition + "}")).isPublic()).isTrue();
        assertThat(read(statement(statement + "'StringEquals':{'aws:username':'client-5'}," + condition + "}"))
                        .isPublic())
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'DateLessThan':{'aws:CurrentTime':'2026-01-01'}|2025-12-31T23:59:59Z|true",
                "'DateLessThan':{'aws:CurrentTime':'2026-01-01'}|2026-01-01T00:00:00Z|false",
                "'DateGreaterThan':{'aws:CurrentTime':'2026-01-01T01:00+01:00'}|2026-01-01T00:00:01Z|true",
                "'DateGreaterThan':{'aws:CurrentTime':1767225600}|2026-01-01T00:00:01Z|true",
                "'DateLessThan':{'aws:EpochTime':'2026-01-01'}|1767225599|true",
                "'DateLessThan':{'aws:EpochTime':'1767225600'}|1767225600|false",
                "'NumericLessThan':{'aws:EpochTime':1767225600}|1767225599|true",
                "'DateGreaterThan':{'s3:object-lock-retain-until-date':'2026-01-01'}"
                        + "|2026-01-01T01:30:00+01:00[Europe/Paris]|true",
                "'NumericLessThanEquals':{'s3:max-keys':'10'}|10|true",
                "'Null':{'aws:Referer':'False'}|http://a.example|true",
                "'Bool':{'s3:ExistingObjectTag/open':true}|TRUE|true"
            })
    void valuesAreComparedByTheirMeaning(String condition, String fact, boolean holds) {
        BucketPolicy policy = read(statement("'Effect':'Allow','Principal':'*','Action':'s3:GetObject','Resource':'*',"
                + "'Condition':{" + condition + "}"));
        assertThat(policy.judge(PERSON, "s3:GetObject", "films/a", _ -> List.of(fact)))
                .isEqualTo(holds ? Verdict.ALLOWED : Verdict.SILENT);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'DateLessThan':{'aws:CurrentTime':'soon'}",
                "'DateLessThan':{'aws:CurrentTime':'2026-01-01T00:00:00'}",
                "'DateLessThan':{'aws:CurrentTime':['2026-01-01','2026-13-01']}",
                "'DateLessThan':{'s3:max-keys':'10'}",
                "'NumericLessThan':{'aws:CurrentTime':'10'}",
                "'NumericLessThan':{'s3:max-keys':'abc'}",
                "'Bool':{'aws:Referer':'yes'}",
                "'Null':{'aws:Referer':'x'}"
            })
    void valuesThatNothingCanMatchAreRefused(String condition) {
        String statement = "'Effect':'Deny','Principal':'*','Action':'s3:*','Resource':'*','Condition':{";
        assertThatThrownBy(() -> read(statement(statement + condition + "}")))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("MalformedPolicy"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[]",
                "{}",
                "{'Statement':[]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:GetObject'}]}",
                "{'Statement':[{'Effect':'Maybe','Principal':'*','Action':'s3:GetObject','Resource':'*'}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:Fly','Resource':'*'}]}",
                "{'Statement':[{'Effect':'Allow','Principal':{'AWS':'bob'},'Action':'s3:*','Resource':'*'}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'arn:aws:s3:::other/*'}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'*','Extra':1}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'*',"
                        + "'Condition':{'StringEquals':{'aws:SourceVpc':'x'}}}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'*',"
                        + "'Condition':{'StringEquals':['aws:username','client-5']}}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*','Resource':'*',"
                        + "'Condition':{'StringEquals':{}}}]}",
                "{'Statement':[{'Effect':'Allow','Principal':'*','Action':'s3:*',"
                        + "'Resource':'arn:aws:s3:::films/${aws:username}'}]}"
            })
    void partsThatWouldNotBeEnforcedAreRefused(String json) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.code()).isEqualTo("MalformedPolicy"));
    }

    @Test
    void patternsMatchInTime() {
        assertThat(Pattern.matches("a*b?c*", "axxbyczz")).isTrue();
        assertThat(Pattern.matches("*", "")).isTrue();
        assertThat(Pattern.matches("a?", "a")).isFalse();
        assertThat(Pattern.matches("*a".repeat(50) + "b", "a".repeat(2_000))).isFalse();
    }
}
