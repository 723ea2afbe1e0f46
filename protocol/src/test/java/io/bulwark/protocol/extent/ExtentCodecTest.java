package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ExtentCodecTest {
    private final ExtentCodec codec = new ExtentCodec();

    /** Each line: name, type number, body, in hexadecimal. */
    @Test
    void theBytesOfEachMessageAreFixed() throws IOException {
        List<String> lines = new ArrayList<>();
        SampleMessages.all().forEach((name, message) -> {
            String type = HexFormat.of().toHexDigits((short) codec.typeOf(message));
            lines.add(name + " " + type + " " + body(message).toHex());
        });
        try (InputStream golden = ExtentCodecTest.class.getResourceAsStream("/wire/extent.hex")) {
            assertThat(golden).isNotNull();
            assertThat(lines)
                    .containsExactlyElementsOf(new String(golden.readAllBytes(), StandardCharsets.UTF_8)
                            .lines()
                            .toList());
        }
    }

    @Test
    void eachMessageComesBack() {
        SampleMessages.all()
                .forEach((name, message) -> assertThat(codec.read(codec.typeOf(message), new WireReader(body(message))))
                        .as(name)
                        .isEqualTo(message));
    }

    @Test
    void trailingAndMissingBytesAreMalformed() {
        SampleMessages.all().forEach((name, message) -> {
            Bytes body = body(message);
            Bytes longer = new WireWriter().raw(body).u8(0).toBytes();
            Bytes shorter = body.slice(0, body.length() - 1);
            for (Bytes wrong : List.of(longer, shorter)) {
                assertThatThrownBy(() -> codec.read(codec.typeOf(message), new WireReader(wrong)))
                        .as(name)
                        .isInstanceOf(MalformedException.class);
            }
        });
    }

    @Test
    void unknownTypesReasonsAndAnEpochOfZeroAreMalformed() {
        WireWriter head = new WireWriter();
        new BlockId(1, PrincipalId.client(0), 1, 1).write(head);
        Bytes id = head.toBytes();
        Bytes epochZero = new WireWriter().raw(id).i64(0).toBytes();
        Bytes reason = new WireWriter().raw(id).i64(1).u8(200).toBytes();
        assertThatThrownBy(() -> codec.read(ExtentCodec.HOLDS, new WireReader(epochZero)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> codec.read(ExtentCodec.NOT_FOUND, new WireReader(reason)))
                .isInstanceOf(MalformedException.class);
        assertThatThrownBy(() -> codec.read(0x01FF, new WireReader(reason))).isInstanceOf(MalformedException.class);
    }

    private Bytes body(ExtentMessage message) {
        WireWriter out = new WireWriter();
        codec.write(message, out);
        return out.toBytes();
    }
}
