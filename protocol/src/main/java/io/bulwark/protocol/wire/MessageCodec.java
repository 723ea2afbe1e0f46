package io.bulwark.protocol.wire;

/**
 * The canonical encoding of one family of messages; a family owns the type numbers whose high byte is
 * {@link #family()}.
 */
public interface MessageCodec {
    /**
     * Returns the high byte of this family's type numbers: 1 extents, 2 FP register, 3 ordering, 4 transport control, 5
     * node control, 6 ordering among replicas, 7 PASIS register, 8 and 9 keys of replicas and of nodes, 10
     * configurations of replicas, 11 logs of Byzantine Locking; 255 benchmarks, which no member speaks.
     */
    int family();

    /** True if the message belongs to this family. */
    boolean handles(Message message);

    /** The 16-bit type number of a message of this family. */
    int typeOf(Message message);

    /** Appends the body of a message of this family. */
    void write(Message message, WireWriter out);

    /**
     * Reads one body, to its last byte.
     *
     * @throws MalformedException on an unknown type, a value out of bounds, or trailing bytes
     */
    default Message read(int type, WireReader in) {
        try {
            Message message = readBody(type, in);
            in.end();
            return message;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    /**
     * Reads the parts of a body; what its records refuse is malformed, too.
     *
     * @throws MalformedException on an unknown type, or a value out of bounds
     */
    Message readBody(int type, WireReader in);
}
