package io.bulwark.protocol.fp;

/** Request that a refusal answers. The order is part of the wire format. */
public enum RequestKind {
    PREPARE,
    COMMIT,
    FIND_TIMESTAMP,
    READ,
    REPAIR,
    REPAIR_MAC,
    LEFTOVER
}
