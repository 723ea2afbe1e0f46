package io.bulwark.protocol.erasure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ErasureCodeTest {
    private final ErasureCode code = ErasureCode.of(2, 4);

    @ParameterizedTest
    @CsvSource({"0, 4", "-1, 4", "5, 4", "2, 256", "1, 0"})
    void refusesOtherCodes(int m, int n) {
        assertThatIllegalArgumentException().isThrownBy(() -> ErasureCode.of(m, n));
    }

    @Test
    void givesOneCodeForOneShape() {
        assertThat(ErasureCode.of(2, 4)).isSameAs(code);
        assertThat(ErasureCode.of(2, 5)).isNotSameAs(code);
    }

    @Test
    void fragmentLengthRoundsUp() {
        assertThat(ErasureCode.fragmentLength(0, 3)).isZero();
        assertThat(ErasureCode.fragmentLength(1, 3)).isEqualTo(1);
        assertThat(ErasureCode.fragmentLength(6, 3)).isEqualTo(2);
        assertThat(ErasureCode.fragmentLength(7, 3)).isEqualTo(3);
        assertThat(ErasureCode.fragmentLength(Integer.MAX_VALUE, 2)).isEqualTo(1 << 30);
    }

    @Test
    void wholeStripesShareTheBlocksArray() {
        Bytes block = Bytes.of(new byte[] {9, 1, 2, 3, 4, 5, 9}, 1, 5);
        List<Bytes> fragments = code.encode(block, 2);
        assertThat(fragments)
                .containsExactly(Bytes.of((byte) 1, (byte) 2, (byte) 3), Bytes.of((byte) 4, (byte) 5, (byte) 0));
        assertThat(fragments.getFirst().array()).isSameAs(block.array());
        assertThat(fragments.getLast().array()).isNotSameAs(block.array());
    }

    @Test
    void shortBlocksLeaveStripesOfZeros() {
        assertThat(ErasureCode.of(3, 3).encode(Bytes.of((byte) 7), 3))
                .containsExactly(Bytes.of((byte) 7), Bytes.of((byte) 0), Bytes.of((byte) 0));
    }

    @Test
    void refusesWhatCannotBeDecoded() {
        Bytes one = Bytes.of((byte) 1);
        assertThatIllegalArgumentException().isThrownBy(() -> code.decode(new int[] {1}, List.of(one)));
        assertThatIllegalArgumentException().isThrownBy(() -> code.decode(new int[] {0, 1}, List.of(one)));
        assertThatIllegalArgumentException().isThrownBy(() -> code.decode(new int[] {1, 1}, List.of(one, one)));
        assertThatIllegalArgumentException().isThrownBy(() -> code.decode(new int[] {1, 4}, List.of(one, one)));
        assertThatIllegalArgumentException().isThrownBy(() -> code.decode(new int[] {-1, 1}, List.of(one, one)));
        assertThatIllegalArgumentException().isThrownBy(() -> code.decode(new int[] {0, 1, 2}, List.of(one, one, one)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> code.decode(new int[] {0, 1}, List.of(one, Bytes.of((byte) 1, (byte) 2))));
    }

    @Test
    void refusesFragmentsThatTheCodeDoesNotHave() {
        Bytes block = Bytes.of((byte) 1, (byte) 2);
        assertThatIllegalArgumentException().isThrownBy(() -> code.encode(block, 5));
        assertThatIllegalArgumentException().isThrownBy(() -> code.encode(block, -1));
        assertThatIllegalArgumentException().isThrownBy(() -> code.encodeFragment(block, 4));
        assertThatIllegalArgumentException().isThrownBy(() -> code.combine(4, List.of(block, block)));
        assertThatIllegalArgumentException().isThrownBy(() -> code.combine(0, List.of(block)));
    }
}
