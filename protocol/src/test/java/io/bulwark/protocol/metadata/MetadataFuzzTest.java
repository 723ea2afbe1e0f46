package io.bulwark.protocol.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Whatever bytes come: malformed, or exactly the encoding of what was read; and the state machine always answers. */
@NullMarked
class MetadataFuzzTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261121L);
    private static final int ROUNDS = 20_000;

    private final Random random = new Random(SEED);

    @Test
    void changedBytesAreMalformedOrCanonical() {
        System.out.println("MetadataFuzzTest bulwark.seed=" + SEED);
        fuzz(
                Samples.submissions().values().stream().map(Submission::encoded).toList(),
                bytes -> Submission.decode(bytes).encoded());
        fuzz(
                Samples.queries().values().stream().map(Query::encoded).toList(),
                bytes -> Query.decode(bytes).encoded());
        fuzz(
                Samples.replies().values().stream().map(Reply::encoded).toList(),
                bytes -> Reply.decode(bytes).encoded());
    }

    @Test
    void theStateMachineAnswersWhateverComes() {
        System.out.println("MetadataFuzzTest bulwark.seed=" + SEED);
        Rig rig = Rig.ready();
        Rig.User alice = rig.user(Rig.ALICE, rig.volume);
        alice.put("films", "a", 10);
        List<Bytes> submissions = Samples.submissions().values().stream()
                .map(sample -> sample instanceof Submission.InSession in
                        ? new Submission.InSession(alice.session, 1 + random.nextInt(9), 1, in.command()).encoded()
                        : sample.encoded())
                .toList();
        List<Bytes> queries =
                Samples.queries().values().stream().map(Query::encoded).toList();
        for (int i = 0; i < ROUNDS / 4; i++) {
            Bytes submission = changed(submissions.get(random.nextInt(submissions.size())));
            Bytes query = changed(queries.get(random.nextInt(queries.size())));
            PrincipalId principal = random.nextBoolean() ? Rig.ALICE : PrincipalId.node(random.nextInt(6));
            Reply.decode(rig.machine.execute(principal, submission, rig.nowMillis));
            Reply.decode(rig.machine.query(principal, query));
        }
        MetadataStateMachine restored = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(restored.digest()).isEqualTo(rig.machine.digest());
    }

    @Test
    void damagedSnapshotsAreMalformedOrCanonical() {
        System.out.println("MetadataFuzzTest bulwark.seed=" + SEED);
        Rig rig = Rig.ready();
        Rig.User alice = rig.user(Rig.ALICE, rig.volume);
        alice.put("films", "a", 10);
        alice.run(new Command.RegisterPending(List.of(alice.range(50, 2))));
        Bytes snapshot = rig.machine.snapshot();
        int malformed = 0;
        for (int i = 0; i < ROUNDS / 10; i++) {
            try {
                MetadataStateMachine.restore(changed(snapshot)).snapshot();
            } catch (MalformedException expected) {
                malformed++;
            }
        }
        assertThat(malformed).isPositive();
    }

    private void fuzz(List<Bytes> samples, Function<Bytes, Bytes> again) {
        int readable = 0;
        for (int i = 0; i < ROUNDS; i++) {
            Bytes bytes = changed(samples.get(random.nextInt(samples.size())));
            try {
                assertThat(again.apply(bytes)).isEqualTo(bytes);
                readable++;
            } catch (MalformedException expected) {
                assertThat(expected.getMessage()).isNotNull();
            }
        }
        assertThat(readable).isBetween(ROUNDS / 20, ROUNDS);
    }

    private Bytes changed(Bytes sample) {
        byte[] bytes = sample.toByteArray();
        int changes = 1 + random.nextInt(3);
        for (int i = 0; i < changes; i++) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
        }
        return Bytes.of(bytes, 0, random.nextInt(5) == 0 ? random.nextInt(bytes.length + 1) : bytes.length);
    }
}
