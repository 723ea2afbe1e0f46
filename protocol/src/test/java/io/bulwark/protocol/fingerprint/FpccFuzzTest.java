package io.bulwark.protocol.fingerprint;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FpccFuzzTest {
    private static final long SEED = Long.getLong("bulwark.seed", System.nanoTime());

    static {
        System.out.println("FpccFuzzTest: -Dbulwark.seed=" + SEED);
    }

    @Test
    void whateverIsReadIsWrittenTheSame() {
        Random random = new Random(SEED);
        byte[] valid = new BlockCode(2, 1, 4)
                .encode(Bytes.of(new byte[100]))
                .fpcc()
                .encoded()
                .toByteArray();
        int read = 0;
        for (int round = 0; round < 20_000; round++) {
            byte[] bytes = Arrays.copyOf(valid, Math.max(0, valid.length + random.nextInt(-3, 100)));
            for (int change = random.nextInt(3); change > 0 && bytes.length > 0; change--) {
                bytes[random.nextInt(random.nextBoolean() ? 6 : bytes.length)] = (byte) random.nextInt();
            }
            WireReader in = new WireReader(Bytes.of(bytes));
            try {
                Fpcc fpcc = Fpcc.decode(in);
                int used = bytes.length - in.remaining();
                assertThat(fpcc.encoded()).as("seed %d", SEED).isEqualTo(Bytes.of(bytes, 0, used));
                read++;
            } catch (MalformedException e) {
                assertThat(e).hasMessageMatching("(?s).+");
            }
        }
        assertThat(read).as("seed %d", SEED).isBetween(1, 19_999);
    }
}
