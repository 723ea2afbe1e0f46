package io.bulwark.client.text;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Principals.RevocationProgress;
import io.bulwark.protocol.id.PrincipalId;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RevocationLinesTest {
    private final RevocationLines lines = new RevocationLines(PrincipalId.client(22));

    /** Nodes are asked several times, each of which begins at nought. */
    @Test
    void whatBeganWithALineThatNotAllAreDoneEndsWithOneThatAllAre() {
        assertThat(lines.next(progress(5, 0))).hasValue("0 of 5 nodes have completed the revocation of client-22.");
        assertThat(lines.next(progress(5, 0))).as("the same again").isEmpty();
        assertThat(lines.next(progress(5, 3))).hasValue("3 of 5 nodes have completed the revocation of client-22.");
        assertThat(lines.next(progress(5, 5))).as("one time of several").isEmpty();
        assertThat(lines.outcome()).isEqualTo("is revoked, and all nodes have completed the revocation");
    }

    @Test
    void whereNoNodeIsAskedNothingIsSaidOfNodes() {
        assertThat(lines.outcome()).as("a node").isEqualTo("is revoked");
        assertThat(lines.next(progress(0, 0))).isEmpty();
        assertThat(lines.outcome()).isEqualTo("is revoked");
    }

    private static RevocationProgress progress(int asked, int done) {
        return new RevocationProgress(asked, done, Map.of(), List.of(), List.of());
    }
}
