package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Whatever bytes come, they are either malformed or the one encoding of what they are read as. */
@NullMarked
class ExtentCodecFuzzTest {
    private static final int ROUNDS = 60_000;

    @Test
    void hostileBytesAreMalformedOrCanonical() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        Random random = new Random(seed);
        ExtentCodec codec = new ExtentCodec();
        List<ExtentMessage> samples = List.copyOf(SampleMessages.all().values());
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            ExtentMessage sample = samples.get(random.nextInt(samples.size()));
            int type = random.nextInt(8) > 0 ? codec.typeOf(sample) : 0x0100 + random.nextInt(0x100);
            byte[] body = mutate(encode(codec, sample), random);
            try {
                Message message = codec.read(type, new WireReader(Bytes.of(body)));
                assertThat(codec.typeOf(message)).as("seed %d", seed).isEqualTo(type);
                assertThat(encode(codec, message)).as("seed %d", seed).isEqualTo(body);
                read++;
            } catch (MalformedException e) {
                assertThat(e).as("seed %d", seed).hasMessageNotContaining("null");
            }
        }
        assertThat(read).as("seed %d", seed).isPositive();
    }

    private static byte[] mutate(byte[] body, Random random) {
        byte[] mutated = random.nextInt(4) == 0 ? Arrays.copyOf(body, random.nextInt(body.length + 8)) : body.clone();
        for (int flips = random.nextInt(4); flips > 0 && mutated.length > 0; flips--) {
            mutated[random.nextInt(mutated.length)] = (byte) random.nextInt(256);
        }
        return mutated;
    }

    private static byte[] encode(ExtentCodec codec, Message message) {
        WireWriter out = new WireWriter();
        codec.write(message, out);
        return out.toBytes().toByteArray();
    }
}
