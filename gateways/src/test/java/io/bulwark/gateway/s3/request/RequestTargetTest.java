package io.bulwark.gateway.s3.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RequestTargetTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);

    private static Addressing.Place place(String host, String target) {
        return new Addressing(List.of("s3.example.com"))
                .find(host, RequestTarget.parse(target).path());
    }

    @Test
    void aDomainBelowAnotherIsFoundFirst() {
        Addressing nested = new Addressing(List.of("example.com", "s3.example.com"));
        Optional<String> key = Optional.of("k");
        assertThat(nested.find("films.s3.example.com", "/k"))
                .isEqualTo(new Addressing.Place(Optional.of("films"), key));
        assertThat(nested.find("films.example.com", "/k")).isEqualTo(new Addressing.Place(Optional.of("films"), key));
        assertThat(nested.find("s3.example.com", "/films/k"))
                .isEqualTo(new Addressing.Place(Optional.of("films"), key));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/b/k|k",
                "/b/a/b/c|a/b/c",
                "/b//k|/k",
                "/b/a//b/|a//b/",
                "/b/./../k|./../k",
                "/b/a+b|a+b",
                "/b/a%2Bb%20c|a+b c",
                "/b/%E2%82%AC|€",
                "/b/%F0%9F%98%80|😀",
                "/b/a%2Fb|a/b",
                "/b/%25|%",
                "/b/a'()*!~|a'()*!~"
            })
    void keysAreTheDecodedPath(String target, String key) {
        assertThat(place("localhost:9000", target)).isEqualTo(new Addressing.Place(Optional.of("b"), Optional.of(key)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/b/%",
                "/b/%4",
                "/b/%zz",
                "/b/%ff",
                "/b/%C0%AF",
                "/b/%ED%A0%80",
                "/b/é",
                "k",
                "*",
                "http://h/b",
                "/b?a=%",
                "/b#c"
            })
    void badEncodingsAreRefused(String target) {
        assertThatThrownBy(() -> RequestTarget.parse(target))
                .isInstanceOfSatisfying(
                        S3Exception.class, e -> assertThat(e.status()).isEqualTo(400));
    }

    @Test
    void aPlusInTheQueryIsASpace() {
        assertThat(RequestTarget.parse("/b?prefix=a+b%2Bc&list-type=2&acl&x=").query())
                .isEqualTo(Map.of("prefix", "a b+c", "list-type", "2", "acl", "", "x", ""));
    }

    @Test
    void aParameterGivenTwiceIsRefused() {
        assertThatThrownBy(() -> RequestTarget.parse("/b?versionId=1&version%49d=2"))
                .isInstanceOf(S3Exception.class);
    }

    @Test
    void tooManyParametersAreRefused() {
        StringBuilder target = new StringBuilder("/b?");
        for (int i = 0; i < 300; i++) {
            target.append('p').append(i).append("=1&");
        }
        assertThatThrownBy(() -> RequestTarget.parse(target.toString())).isInstanceOf(S3Exception.class);
    }

    @Test
    void theHostMayNameTheBucket() {
        assertThat(place("my.bucket.S3.example.com:9000", "/b/k"))
                .isEqualTo(new Addressing.Place(Optional.of("my.bucket"), Optional.of("b/k")));
        assertThat(place("bucket.s3.example.com", "/"))
                .isEqualTo(new Addressing.Place(Optional.of("bucket"), Optional.empty()));
        assertThat(place("s3.example.com", "/b/k")).isEqualTo(new Addressing.Place(Optional.of("b"), Optional.of("k")));
        assertThat(place("evils3.example.com", "/b"))
                .isEqualTo(new Addressing.Place(Optional.of("b"), Optional.empty()));
        assertThat(place("[::1]:9000", "/")).isEqualTo(new Addressing.Place(Optional.empty(), Optional.empty()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", "host:port", "a,b", "a@b"})
    void otherHostsAreRefused(String host) {
        assertThatThrownBy(() -> place(host, "/b/k")).isInstanceOf(S3Exception.class);
    }

    @Test
    void decodingIsTheInverseOfEncoding() {
        Random random = new Random(SEED);
        for (int run = 0; run < 2_000; run++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i > 0; i--) {
                int c = random.nextInt(0x110000);
                text.appendCodePoint(random.nextBoolean() ? random.nextInt(128) : c >= 0xd800 && c < 0xe000 ? '/' : c);
            }
            assertThat(PercentEncoding.decode(PercentEncoding.encode(text.toString()), random.nextBoolean()))
                    .as("seed %d, run %d", SEED, run)
                    .isEqualTo(text.toString());
            assertThat(PercentEncoding.decode(PercentEncoding.encodePath(text.toString()), false))
                    .isEqualTo(text.toString());
        }
    }

    @Test
    void anErrorDocumentHasOnlyCharactersOfXml() {
        byte[] xml = ErrorDocument.encode(
                new S3Exception(400, "InvalidArgument", "a<b>&\"\u0000\ud800").with("Key", "x\r"), "/b", "1", "2");
        assertThat(new String(xml, StandardCharsets.UTF_8))
                .contains("<Message>a&lt;b&gt;&amp;&quot;\ufffd\ufffd</Message><Key>x&#13;</Key>");
    }
}
