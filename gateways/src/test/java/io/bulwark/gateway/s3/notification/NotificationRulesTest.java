package io.bulwark.gateway.s3.notification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.ObjectEvent;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@NullMarked
class NotificationRulesTest {
    private static final String QUEUE = "<Queue>arn:bulwark:sqs:::hooks</Queue>";

    private static NotificationRules read(String content) {
        return NotificationRules.read(("<NotificationConfiguration>" + content + "</NotificationConfiguration>")
                .getBytes(StandardCharsets.UTF_8));
    }

    private static String queue(String content) {
        return "<QueueConfiguration>" + content + "</QueueConfiguration>";
    }

    private static ObjectEvent event(ObjectEvent.Kind kind, String key) {
        return new ObjectEvent(kind, key, 3, true, 5, "", PrincipalId.client(1), 0);
    }

    private static void assertRefused(int status, String content) {
        assertThatThrownBy(() -> read(content))
                .as(content)
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refused -> assertThat(refused.status()).isEqualTo(status));
    }

    @Test
    void firstRuleThatFitsNamesAnEvent() {
        NotificationRules rules = read(queue("<Id>images</Id>" + QUEUE
                        + "<Event>s3:ObjectCreated:*</Event><Filter><S3Key>"
                        + "<FilterRule><Name>Prefix</Name><Value>in/</Value></FilterRule>"
                        + "<FilterRule><Name>suffix</Name><Value>.jpg</Value></FilterRule></S3Key></Filter>")
                + queue("<Id>gone</Id>" + QUEUE
                        + "<Event>s3:ObjectRemoved:Delete</Event><Event>s3:ObjectTagging:Put</Event>"));
        assertThat(rules.webhook()).isEqualTo("hooks");
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.PUT, "in/a.jpg"))).contains("images");
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.COMPLETE_UPLOAD, "in/a.jpg")))
                .contains("images");
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.PUT, "in/a.png"))).isEmpty();
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.PUT, "out/a.jpg"))).isEmpty();
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.DELETE, "out/a.jpg"))).contains("gone");
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.PUT_TAGS, "out/a.jpg"))).contains("gone");
        assertThat(rules.ruleFor(event(ObjectEvent.Kind.DELETE_MARKER, "in/a.jpg")))
                .isEmpty();
        assertThat(NotificationRules.read(rules.toBytes())).isEqualTo(rules);
        assertThat(read("").rules()).isEmpty();
    }

    @Test
    void unsupportedConfigurationsAreRefusedAsSuch() {
        assertRefused(501, "<TopicConfiguration><Topic>arn:aws:sns:::a</Topic></TopicConfiguration>");
        assertRefused(501, "<EventBridgeConfiguration/>");
        assertRefused(501, queue(QUEUE + "<Event>s3:ObjectRestore:Post</Event>"));
        assertRefused(501, queue(QUEUE + "<Event>s3:ObjectCreated:Post</Event>"));
        assertRefused(
                501,
                queue(QUEUE + "<Event>s3:ObjectCreated:*</Event>")
                        + queue("<Queue>arn:bulwark:sqs:::others</Queue><Event>s3:ObjectCreated:*</Event>"));
    }

    @ParameterizedTest
    @CsvSource({
        "<Queue>https://evil.example/</Queue><Event>s3:ObjectCreated:*</Event>",
        "<Queue>arn:aws:sqs:us-east-1:1:hooks</Queue><Event>s3:ObjectCreated:*</Event>",
        "<Queue>arn:bulwark:sqs:::</Queue><Event>s3:ObjectCreated:*</Event>",
        "<Queue>arn:bulwark:sqs:::hooks</Queue>",
        "<Queue>arn:bulwark:sqs:::hooks</Queue><Event>ObjectCreated:*</Event>",
        "<Queue>arn:bulwark:sqs:::hooks</Queue><Event>s3:ObjectCreated:*</Event><Unknown/>",
        "<Event>s3:ObjectCreated:*</Event>"
    })
    void malformedConfigurationsAreRefused(String content) {
        assertRefused(400, queue(content));
    }

    @Test
    void eventsOfAConfigurationAreBounded() {
        assertRefused(400, queue(QUEUE + "<Event>s3:ObjectCreated:*</Event>".repeat(21)));
    }

    @Test
    void configurationsHaveDifferentIds() {
        String one = queue("<Id>a</Id>" + QUEUE + "<Event>s3:ObjectCreated:*</Event>");
        assertRefused(400, one + one);
    }
}
