package io.bulwark.protocol.cluster;

/** Kind of a volume's blocks: write-once extents that inodes name, or read/write registers. */
public enum VolumeKind {
    OBJECT,
    REGISTER
}
