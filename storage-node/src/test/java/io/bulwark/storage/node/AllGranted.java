package io.bulwark.storage.node;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.jspecify.annotations.NullMarked;

/**
 * Replicas that say that every session is open and everything is granted.
 *
 * @param volumes those that there are, by their ids
 */
@NullMarked
public record AllGranted(IntFunction<Optional<Volume>> volumes) implements FactSource {
    @Override
    public CompletableFuture<Fact> ask(Question question) {
        return CompletableFuture.completedFuture(
                switch (question) {
                    case Question.OfVolume asked -> new Fact.OfVolume(asked.volume(), volumes.apply(asked.volume()));
                    case Question.OfGrant asked -> new Fact.OfGrant(asked.volume(), asked.principal(), true, true);
                    case Question.OfSession asked ->
                        new Fact.OfSession(asked.volume(), asked.owner(), asked.session(), SessionState.OPEN);
                });
    }

    /** Keys that one of several shares with each of the others, and with itself. */
    public static PairwiseKeys keys(PrincipalId self, List<PrincipalId> all) {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        for (PrincipalId other : all) {
            byte[] key = new byte[PairwiseKeys.KEY_BYTES];
            key[0] = (byte) (all.indexOf(self) + all.indexOf(other));
            key[1] = (byte) (all.indexOf(self) * all.indexOf(other));
            keys.put(other, Bytes.of(key));
        }
        return new PairwiseKeys(self, keys);
    }
}
