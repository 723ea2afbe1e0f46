package io.bulwark.protocol.pasis;

/** Request that a refusal answers. The order is part of the wire format. */
public enum RequestKind {
    FIND_TIME,
    WRITE,
    READ,
    READ_FRAGMENT,
    REPAIR,
    NOTIFY
}
