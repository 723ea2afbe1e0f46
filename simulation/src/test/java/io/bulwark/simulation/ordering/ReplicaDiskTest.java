package io.bulwark.simulation.ordering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.simulation.engine.SimulatedRecords;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ReplicaDiskTest {
    /** A campaign of members from seed 3200000 ended at seed 3200361, when the operator looked where a replica with a rotten proof is. */
    @Test
    void whereAReplicaIsCanBeToldThoughAProofIsRotten() {
        SimulatedRecords records = new SimulatedRecords();
        RecordKey proof = new RecordKey(
                RecordKind.REGISTER,
                BlockId.register(1, 3),
                new WireWriter(8).i64(1).toBytes());
        records.apply(List.of(new Mutation.Put(proof, Bytes.EMPTY, Bytes.EMPTY)));
        records.damage(proof);

        assertThat(ReplicaDisk.configuration(records)).isEqualTo(1);
        assertThatThrownBy(() -> ReplicaDisk.successors(records)).hasMessageContaining("damaged");
    }
}
