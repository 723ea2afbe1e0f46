package io.bulwark.appliance.drill;

/** Kinds of lies that a node can be made to tell. */
public enum Lie {
    /** Each fragment is replaced by the perfectly valid one of another block, of its length if there is one; checksums are made right. */
    SWAP,
    /** The node's whole data directory becomes what it was when it was saved. */
    STALE,
    /** A bit of each fragment is turned; checksums stay. */
    FLIP,
    /** The records are removed. */
    DROP,
    /** Each fragment becomes random bytes, with the store's checksums made right. */
    GARBLE
}
