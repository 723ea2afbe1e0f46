package io.bulwark.gateway.s3.form;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.bulwark.gateway.s3.request.S3Exception;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FormReaderTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final String TYPE = "multipart/form-data; boundary=xYzBoundary";

    private static byte[] form(Map<String, String> fields, byte[] file, String after) {
        ByteArrayOutputStream form = new ByteArrayOutputStream();
        fields.forEach((name, value) -> form.writeBytes(
                ("--xYzBoundary\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n")
                        .getBytes(StandardCharsets.UTF_8)));
        form.writeBytes(
                String.join(
                                "\r\n",
                                "--xYzBoundary",
                                "Content-Disposition: form-data; name=\"file\"; filename=\"C:\\dir\\nämé.txt\"",
                                "Content-Type: text/plain",
                                "",
                                "")
                        .getBytes(StandardCharsets.UTF_8));
        form.writeBytes(file);
        form.writeBytes(("\r\n--xYzBoundary" + after).getBytes(StandardCharsets.UTF_8));
        return form.toByteArray();
    }

    private static FormReader open(byte[] form) throws IOException {
        return FormReader.open(new ByteArrayInputStream(form), TYPE);
    }

    private static String refusalOf(byte[] form) {
        return catchThrowableOfType(S3Exception.class, () -> open(form).file().readAllBytes())
                .code();
    }

    @Test
    void anyFileComesOutAsItWas() throws IOException {
        Random random = new Random(SEED);
        for (int run = 0; run < 300; run++) {
            byte[] file = new byte[random.nextInt(run % 10 == 0 ? 100_000 : 300)];
            random.nextBytes(file);
            for (int i = 0; i + 16 < file.length; i += 1 + random.nextInt(200)) {
                // Beginnings of the boundary, which are none.
                byte[] almost = "\r\n--xYzBoundarx\r".substring(0, 1 + random.nextInt(16)).getBytes(StandardCharsets.US_ASCII);
                System.arraycopy(almost, 0, file, i, almost.length);
            }
            if (new String(file, StandardCharsets.ISO_8859_1).contains("\r\n--xYzBoundary")) {
                continue;
            }
            FormReader reader = open(form(Map.of("Key", "a/ä", "x-amz-meta-a", "1\r\n2"), file, "--\r\n"));
            assertThat(reader.fields()).isEqualTo(Map.of("key", "a/ä", "x-amz-meta-a", "1\r\n2"));
            assertThat(reader.fileName()).isEqualTo("nämé.txt");
            assertThat(reader.file().readAllBytes()).as("seed %d, run %d", SEED, run).isEqualTo(file);
        }
    }

    @Test
    void fieldsAfterTheFileAreIgnored() throws IOException {
        String after = "\r\nContent-Disposition: form-data; name=\"submit\"\r\n\r\nUpload\r\n--xYzBoundary--\r\n";
        FormReader reader = open(form(Map.of("key", "k"), new byte[] {1}, after));
        assertThat(reader.file().readAllBytes()).containsExactly(1);
        assertThat(reader.fields().keySet()).containsExactly("key");
    }

    @Test
    void aCutFormIsRefused() {
        byte[] form = form(Map.of("key", "k"), new byte[100], "--\r\n");
        for (int length = 0; length < form.length - 4; length++) {
            assertThat(refusalOf(Arrays.copyOf(form, length))).isEqualTo("MalformedPOSTRequest");
        }
    }

    @Test
    void hostileFormsAreRefused() {
        Map<String, String> many = new TreeMap<>();
        for (int i = 0; i < 200; i++) {
            many.put("f" + i, "");
        }
        assertThat(refusalOf(form(many, new byte[1], "--\r\n"))).isEqualTo("MaxPostPreDataLengthExceededError");
        assertThat(refusalOf(form(Map.of("key", "k".repeat(30_000)), new byte[1], "--\r\n")))
                .isEqualTo("MaxPostPreDataLengthExceededError");
        assertThat(refusalOf(form(Map.of("key", "a", "KEY", "b"), new byte[1], "--\r\n"))).isEqualTo("InvalidArgument");
        assertThat(refusalOf(form(Map.of("key", "a"), new byte[1], "x".repeat(1 << 20))))
                .isEqualTo("MalformedPOSTRequest");
        byte[] noFile = "--xYzBoundary\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nk\r\n--xYzBoundary--\r\n"
                .getBytes(StandardCharsets.US_ASCII);
        assertThat(refusalOf(noFile)).isEqualTo("InvalidArgument");
        byte[] noName = "--xYzBoundary\r\nContent-Type: text/plain\r\n\r\nk\r\n--xYzBoundary--\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(refusalOf(noName)).isEqualTo("MalformedPOSTRequest");
        for (String type : new String[] {"multipart/form-data", "multipart/form-data; boundary=", TYPE + ";x", "a"}) {
            assertThatThrownBy(() -> FormReader.open(new ByteArrayInputStream(noFile), type))
                    .isInstanceOf(S3Exception.class);
        }
    }
}
