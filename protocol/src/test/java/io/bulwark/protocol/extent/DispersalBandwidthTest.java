package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.Holds;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Store;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Locale;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Bandwidth of dispersal per byte of a block (thesis 2.3): AVID sends each fragment with its cross-checksum to all n, in echo and in
 * ready; AVID-FP sends the fingerprinted cross-checksum instead; this product asks with the pin, twice at each node.
 */
@NullMarked
class DispersalBandwidthTest {
    private static final BlockId BLOCK = LocalNode.block(1);

    private static long frame(Message message) {
        WireWriter out = new WireWriter();
        new ExtentCodec().write(message, out);
        return FrameHeader.BYTES + (long) out.toBytes().length();
    }

    @ParameterizedTest
    @CsvSource({"1, 2, 4, 1048576", "4, 5, 13, 1048576", "4, 14, 40, 1048576", "4, 14, 40, 8388608"})
    void echoAndReadyCostLittleBesideTheFragments(int f, int m, int n, int blockBytes) {
        ProtectionPolicy policy = ProtectionPolicy.archive(f, m, n, blockBytes);
        ExtentCoding.Encoded encoded =
                ExtentCoding.of(policy).encode(Bytes.of(new byte[policy.paddedBytes(blockBytes)]));
        Bytes fragment = encoded.fragments().getFirst();
        long pairs = (long) n * (n - 1);
        long stored = n * frame(new Store(BLOCK, 1, 0, fragment, encoded.checksum()));
        long disseminated = m * frame(new Found(BLOCK, 1, encoded.checksum(), fragment, true));
        long asked = 2
                * pairs
                * (frame(new ReadPinned(BLOCK, 1, 0, encoded.checksum().pin(), false))
                        + frame(new Holds(BLOCK, 1, Delivery.READY)));
        long crossChecksum = (long) n * Hashes.LENGTH;
        double avid = (n + 2.0 * pairs) * (fragment.length() + crossChecksum) / blockBytes;
        double avidFp = (stored + 2.0 * pairs * encoded.checksum().encoded().length()) / blockBytes;
        double ours = (double) (stored + disseminated + asked) / blockBytes;
        System.out.printf(
                Locale.ROOT,
                "| f=%d m=%d n=%d, %d KiB | %.1f | %.2f | %.2f | %.3f |%n",
                f,
                m,
                n,
                blockBytes >> 10,
                avid,
                avidFp,
                ours,
                (double) asked / blockBytes);
        assertThat(ours).isLessThan(avid / 2);
        assertThat(ours - (double) disseminated / blockBytes).isLessThan(avidFp);
    }
}
