package io.bulwark.gateway.s3.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.gateway.s3.request.RequestHead;
import io.bulwark.gateway.s3.request.RequestTarget;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.gateway.s3.signature.Authenticator;
import io.bulwark.gateway.s3.signature.OneKey;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Fields of forms have the meaning of the headers of a put. */
class FormUploadTest {
    private static final String TAGS =
            "<Tagging><TagSet><Tag><Key>a &amp; b</Key><Value>\u00e4</Value></Tag></TagSet></Tagging>";

    private static RequestHead head(Map<String, String> fields) throws IOException {
        StringBuilder form = new StringBuilder();
        Map<String, String> all = new TreeMap<>(fields);
        all.put("key", "k");
        all.forEach((name, value) -> form.append("--b\r\nContent-Disposition: form-data; name=\"")
                .append(name)
                .append("\"\r\n\r\n")
                .append(value)
                .append("\r\n"));
        form.append("--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"f\"\r\n\r\nx\r\n--b--\r\n");
        TreeMap<String, List<String>> headers =
                new TreeMap<>(Map.of("content-type", List.of("multipart/form-data; boundary=b")));
        InstantSource clock = InstantSource.fixed(Instant.EPOCH);
        return FormUpload.open(
                        new RequestHead("POST", RequestTarget.parse("/films"), headers),
                        "films",
                        new ByteArrayInputStream(form.toString().getBytes(StandardCharsets.UTF_8)),
                        new Authenticator(OneKey.withAnonymous(), clock),
                        clock)
                .head();
    }

    @Test
    void fieldsOfFormsAreHeadersOfPuts() throws IOException {
        RequestHead head = head(Map.of("acl", "public-read", "tagging", TAGS, "x-amz-object-lock-mode", "GOVERNANCE"));
        assertThat(head.single("x-amz-acl")).contains("public-read");
        assertThat(head.single("x-amz-tagging")).contains("a%20%26%20b=%C3%A4");
        assertThat(head.single("x-amz-object-lock-mode")).contains("GOVERNANCE");
    }

    @Test
    void bothNamesOfAFieldSayTheSame() throws IOException {
        assertThat(head(Map.of("acl", "private", "x-amz-acl", "private")).single("x-amz-acl"))
                .contains("private");
        assertThatThrownBy(() -> head(Map.of("acl", "private", "x-amz-acl", "public-read")))
                .isInstanceOf(S3Exception.class);
        assertThat(head(Map.of("tagging", TAGS, "x-amz-tagging", "c=d")).single("x-amz-tagging"))
                .contains("c=d&a%20%26%20b=%C3%A4");
    }
}
