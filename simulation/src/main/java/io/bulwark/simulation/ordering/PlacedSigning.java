package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;

/** What replicas sign and check by their places in a configuration. */
record PlacedSigning(Configuration configuration, int self) implements Signing {
    @Override
    public Bytes sign(Bytes content) {
        return new SimulatedSigning(self).sign(content);
    }

    @Override
    public boolean verify(int place, Bytes content, Bytes signature) {
        return new SimulatedSigning(self).verify(configuration.members().get(place), content, signature);
    }
}
