package io.bulwark.gateway.s3.body;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ChecksumAlgorithmTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);

    /** The check values of the catalogue of parametrised CRC algorithms, and FIPS 180. */
    @ParameterizedTest
    @CsvSource({
        "CRC32, cbf43926",
        "CRC32C, e3069283",
        "CRC64NVME, ae8b14860a799888",
        "SHA1, f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "SHA256, 15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
    })
    void checkValuesArePublished(ChecksumAlgorithm algorithm, String hex) {
        ChecksumAlgorithm.Computation computation = algorithm.begin();
        computation.update("0123456789x".getBytes(StandardCharsets.US_ASCII), 1, 9);
        assertThat(HexFormat.of().formatHex(computation.finish())).isEqualTo(hex);
    }

    @Test
    void crc64OfAnyPiecesIsThatOfTheWhole() {
        Random random = new Random(SEED);
        for (int run = 0; run < 300; run++) {
            byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            Crc64Nvme one = new Crc64Nvme();
            for (byte each : bytes) {
                one.update(each);
            }
            Crc64Nvme pieces = new Crc64Nvme();
            for (int i = 0; i < bytes.length; ) {
                int some = 1 + random.nextInt(bytes.length - i);
                pieces.update(bytes, i, some);
                i += some;
            }
            assertThat(pieces.getValue()).as("seed %d, run %d", SEED, run).isEqualTo(one.getValue());
        }
    }

    @Test
    void onlyTheUsualBase64OfTheRightLengthIsValid() {
        assertThat(ChecksumAlgorithm.CRC32.isValid("y/Q5Jg==")).isTrue();
        assertThat(ChecksumAlgorithm.CRC32.isValid("y/Q5Jh==")).isFalse();
        assertThat(ChecksumAlgorithm.CRC32.isValid("y/Q5Jg")).isFalse();
        assertThat(ChecksumAlgorithm.CRC32.isValid(Base64.getEncoder().encodeToString(new byte[8])))
                .isFalse();
        assertThat(ChecksumAlgorithm.CRC32.isValid("not base64")).isFalse();
        assertThat(ChecksumAlgorithm.find("crc64nvme")).contains(ChecksumAlgorithm.CRC64NVME);
        assertThat(ChecksumAlgorithm.find("md5")).isEmpty();
    }
}
