package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Contract of each codec, tested with a message of each kind. */
@NullMarked
public interface MessageCodecContract {
    MessageCodec codec();

    /** The sealed interfaces of the messages of this codec. */
    List<Class<?>> families();

    /** By name, in the order of the golden file. */
    Map<String, ? extends Message> samples();

    /** A resource; each line: name, type number, body, in hexadecimal. */
    String golden();

    @Test
    default void thereIsASampleOfEachKind() {
        Set<Class<?>> kinds =
                families().stream().flatMap(MessageCodecContract::kinds).collect(Collectors.toSet());
        assertThat(samples().values().stream().<Class<?>>map(Object::getClass).collect(Collectors.toSet()))
                .isEqualTo(kinds);
    }

    private static Stream<Class<?>> kinds(Class<?> family) {
        return family.isSealed()
                ? Arrays.stream(family.getPermittedSubclasses()).flatMap(MessageCodecContract::kinds)
                : Stream.of(family);
    }

    @Test
    default void theBytesOfEachMessageAreFixed() throws IOException {
        List<String> lines = new ArrayList<>();
        samples().forEach((name, message) -> {
            String type = HexFormat.of().toHexDigits((short) codec().typeOf(message));
            lines.add((name + " " + type + " " + body(message).toHex()).strip());
        });
        try (InputStream golden = MessageCodecContract.class.getResourceAsStream(golden())) {
            assertThat(golden).isNotNull();
            assertThat(lines)
                    .containsExactlyElementsOf(new String(golden.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList());
        }
    }

    @Test
    default void eachMessageComesBack() {
        samples()
                .forEach((name, message) -> assertThat(
                                codec().read(codec().typeOf(message), new WireReader(body(message))))
                        .as(name)
                        .isEqualTo(message));
    }

    @Test
    default void trailingAndMissingBytesAreMalformed() {
        samples().forEach((name, message) -> {
            Bytes body = body(message);
            Bytes longer = new WireWriter().raw(body).u8(0).toBytes();
            Bytes shorter = body.slice(0, Math.max(0, body.length() - 1));
            for (Bytes wrong : body.isEmpty() ? List.of(longer) : List.of(longer, shorter)) {
                assertThatThrownBy(() -> codec().read(codec().typeOf(message), new WireReader(wrong)))
                        .as(name)
                        .isInstanceOf(MalformedException.class);
            }
        });
    }

    private Bytes body(Message message) {
        WireWriter out = new WireWriter();
        codec().write(message, out);
        return out.toBytes();
    }
}
