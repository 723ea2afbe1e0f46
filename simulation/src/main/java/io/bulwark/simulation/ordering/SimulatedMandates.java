package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;

/** Signatures of a simulation's operator over the next configuration, with its number. */
record SimulatedMandates() implements OperatorAuthorizations {
    /** No replica's. */
    private static final SimulatedSigning OPERATOR = new SimulatedSigning(1 << 20);

    static Bytes of(Configuration next) {
        WireWriter out = new WireWriter();
        next.write(out);
        return OPERATOR.sign(out.toBytes());
    }

    @Override
    public boolean name(Configuration ended, Configuration next, Bytes authorization) {
        return of(next).equals(authorization);
    }
}
