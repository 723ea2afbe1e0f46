package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Whatever bytes come: either malformed, or a message whose encoding is exactly these bytes. */
@NullMarked
class FpCodecFuzzTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261121L);
    private static final int ROUNDS = 30_000;

    private final FpCodec codec = new FpCodec();

    @Test
    void changedBytesAreMalformedOrCanonical() {
        System.out.println("FpCodecFuzzTest bulwark.seed=" + SEED);
        Random random = new Random(SEED);
        List<FpMessage> samples = new ArrayList<>(SampleMessages.all().values());
        int readable = 0;
        for (int i = 0; i < ROUNDS; i++) {
            FpMessage sample = samples.get(random.nextInt(samples.size()));
            WireWriter out = new WireWriter();
            codec.write(sample, out);
            byte[] bytes = out.toBytes().toByteArray();
            int changes = 1 + random.nextInt(4);
            for (int c = 0; c < changes; c++) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            }
            int length = random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : bytes.length;
            int type = random.nextInt(8) == 0 ? 0x0200 | random.nextInt(20) : codec.typeOf(sample);
            if (reads(type, Bytes.of(bytes, 0, length))) {
                readable++;
            }
        }
        assertThat(readable).isBetween(ROUNDS / 20, ROUNDS);
    }

    private boolean reads(int type, Bytes body) {
        Message message;
        try {
            message = codec.read(type, new WireReader(body));
        } catch (MalformedException expected) {
            return false;
        }
        WireWriter out = new WireWriter();
        codec.write(message, out);
        assertThat(codec.typeOf(message)).isEqualTo(type);
        assertThat(out.toBytes()).isEqualTo(body);
        return true;
    }
}
