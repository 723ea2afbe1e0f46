package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.extent.ExtentRecord.DamagedRecord;
import io.bulwark.protocol.extent.ExtentRecord.HeldExtent;
import io.bulwark.protocol.extent.ExtentRecord.Poisonous;
import io.bulwark.protocol.extent.ExtentRecord.WantedExtent;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.CrossChecksum;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ExtentRecordTest {
    private static final BlockId MINE = new BlockId(7, PrincipalId.client(3), 9, 1);
    private static final BlockId YOURS = new BlockId(7, PrincipalId.client(3), 9, 2);
    private static final Fpcc FPCC = BlockCode.ofAll(2, 4)
            .encode(Bytes.of("Bulwark!".getBytes(StandardCharsets.US_ASCII)))
            .fpcc();

    private static final List<ExtentRecord> RECORDS = List.of(
            new HeldExtent(1, 2, true, true, FPCC),
            new HeldExtent(5, 0, false, true, FPCC),
            new HeldExtent(5, 0, true, false, CrossChecksum.of(FPCC.length(), FPCC.cc())),
            new Poisonous(1, 3, FPCC.pin()),
            new WantedExtent(1, 3, FPCC.pin()));

    @Test
    void saysUnderItsOwnKeyWhatWasWritten() {
        for (ExtentRecord record : RECORDS) {
            assertThat(ExtentRecord.decode(MINE, record.encoded(MINE))).isEqualTo(record);
        }
    }

    @PlantedBug(
            in = ExtentRecord.class,
            rule = "a record under another key is not believed",
            replace = "return own ? record : new DamagedRecord();",
            with = "return record;")
    @Test
    void aWholeRecordUnderAnotherKeyIsLost() {
        for (ExtentRecord record : RECORDS) {
            assertThat(ExtentRecord.decode(YOURS, record.encoded(MINE))).isInstanceOf(DamagedRecord.class);
        }
    }

    @Test
    void aSlotWithoutAHashHasNoRightFragment() {
        assertThat(new HeldExtent(1, FPCC.cc().size(), true, true, FPCC).matches(Bytes.of(new byte[FPCC.length()])))
                .isFalse();
    }

    @Test
    void whatIsCutOffOrTooLongIsLost() {
        for (ExtentRecord record : RECORDS) {
            byte[] meta = record.encoded(MINE).toByteArray();
            for (int length = 0; length < meta.length; length++) {
                assertThat(ExtentRecord.decode(MINE, Bytes.of(Arrays.copyOf(meta, length))))
                        .isInstanceOf(DamagedRecord.class);
            }
            assertThat(ExtentRecord.decode(MINE, Bytes.of(Arrays.copyOf(meta, meta.length + 1))))
                    .isInstanceOf(DamagedRecord.class);
        }
    }
}
