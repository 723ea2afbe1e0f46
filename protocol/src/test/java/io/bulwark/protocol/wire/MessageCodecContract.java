package io.bulwark.protocol.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** What holds of each codec, tried on a message of each kind. */
@NullMarked
public interface MessageCodecContract {
    MessageCodec codec();

    /** By name, in the order of the golden file. */
    Map<String, ? extends Message> samples();

    /** A resource; each line: name, type number, body, in hexadecimal. */
    String golden();

    @Test
    default void theBytesOfEachMessageAreFixed() throws IOException {
        List<String> lines = new ArrayList<>();
        samples().forEach((name, message) -> {
            String type = HexFormat.of().toHexDigits((short) codec().typeOf(message));
            lines.add(name + " " + type + " " + body(message).toHex());
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
            Bytes shorter = body.slice(0, body.length() - 1);
            for (Bytes wrong : List.of(longer, shorter)) {
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
