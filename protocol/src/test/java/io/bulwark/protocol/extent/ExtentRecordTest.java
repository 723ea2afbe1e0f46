package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.extent.ExtentRecord.Held;
import io.bulwark.protocol.extent.ExtentRecord.Lost;
import io.bulwark.protocol.extent.ExtentRecord.Poisonous;
import io.bulwark.protocol.extent.ExtentRecord.Wanted;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ExtentRecordTest {
    private static final BlockId MINE = new BlockId(7, PrincipalId.client(3), 9, 1);
    private static final BlockId YOURS = new BlockId(7, PrincipalId.client(3), 9, 2);
    private static final Fpcc FPCC = new BlockCode(2, 1, 4)
            .encode(Bytes.of("Bulwark!".getBytes(StandardCharsets.US_ASCII)))
            .fpcc();

    private static final List<ExtentRecord> RECORDS = List.of(
            new Held(1, 2, true, true, FPCC, null),
            new Held(5, 0, false, true, FPCC, FPCC.cc()),
            new Held(5, 0, true, false, CrossChecksum.of(FPCC.length(), FPCC.cc()), null),
            new Poisonous(1, 3, FPCC.pin()),
            new Wanted(1, 3, FPCC.pin()));

    @Test
    void saysUnderItsOwnKeyWhatWasWritten() {
        for (ExtentRecord record : RECORDS) {
            assertThat(ExtentRecord.decode(MINE, record.encoded(MINE))).isEqualTo(record);
        }
    }

    /** Nothing is lost by starting a newer release. */
    @Test
    void aRecordThatSaysNothingOfVerificationIsRead() {
        WireWriter out = new WireWriter().u8(2).u8(0);
        MINE.write(out);
        out.i64(5).u8(1).bool(true).raw(FPCC.encoded());
        ExtentCodec.writeCc(FPCC.cc(), out);
        assertThat(ExtentRecord.decode(MINE, out.toBytes())).isEqualTo(new Held(5, 1, true, false, FPCC, FPCC.cc()));
    }

    @PlantedBug(
            in = ExtentRecord.class,
            rule = "a record under another key is not believed",
            replace = "return own ? record : new Lost();",
            with = "return record;")
    @Test
    void aWholeRecordUnderAnotherKeyIsLost() {
        for (ExtentRecord record : RECORDS) {
            assertThat(ExtentRecord.decode(YOURS, record.encoded(MINE))).isInstanceOf(Lost.class);
        }
    }

    @Test
    void aSlotWithoutAHashHasNoRightFragment() {
        assertThat(new Held(1, FPCC.cc().size(), true, true, FPCC, null).matches(Bytes.of(new byte[FPCC.length()])))
                .isFalse();
    }

    @Test
    void whatIsCutOffOrTooLongIsLost() {
        for (ExtentRecord record : RECORDS) {
            byte[] meta = record.encoded(MINE).toByteArray();
            for (int length = 0; length < meta.length; length++) {
                assertThat(ExtentRecord.decode(MINE, Bytes.of(Arrays.copyOf(meta, length))))
                        .isInstanceOf(Lost.class);
            }
            assertThat(ExtentRecord.decode(MINE, Bytes.of(Arrays.copyOf(meta, meta.length + 1))))
                    .isInstanceOf(Lost.class);
        }
    }
}
