package io.bulwark.protocol.id;

import io.bulwark.protocol.wire.MalformedException;

/** Kind of a principal. {@link #NONE} owns the blocks of register volumes, which belong to nobody. */
public enum PrincipalKind {
    NONE,
    NODE,
    REPLICA,
    CLIENT;

    private static final PrincipalKind[] KINDS = values();

    static PrincipalKind of(int code) {
        if (code >= KINDS.length) {
            throw new MalformedException("unknown kind of principal " + code);
        }
        return KINDS[code];
    }
}
