package io.bulwark.protocol.cluster;

/** What a volume's blocks are: write-once extents that inodes name, or read/write registers. */
public enum VolumeKind {
    OBJECT,
    REGISTER
}
