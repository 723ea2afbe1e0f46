package io.bulwark.protocol.ordering.membership;

/** The configurations of replicas as somebody has learned of them, one after the other. Only the last one counts. */
public interface Succession {
    /** The last one. */
    Term term();

    /** Goes on to the configuration that follows the last one, if this proves it. */
    boolean accept(HandoverProof proof);
}
