package io.bulwark.appliance.protocols;

import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;

/** Messages of the benign protocols. The checksum of the frame is their only check. */
sealed interface BenignMessage extends Message {
    Target target();

    /** Request of the client to a node. */
    sealed interface Request extends BenignMessage {}

    /** Stores the fragment, or the copy, in place of the last one. */
    record Write(Target target, Bytes fragment) implements Request {}

    /** The fragment is stored. */
    record Written(Target target) implements BenignMessage {}

    /** Asks for the fragment. */
    record Read(Target target) implements Request {}

    /** The fragment; empty if there is none. */
    record Fragment(Target target, Bytes fragment) implements BenignMessage {}
}
