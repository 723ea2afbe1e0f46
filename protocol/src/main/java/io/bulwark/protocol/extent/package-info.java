/**
 * Extents: write-once blocks of object volumes, written in one round and named by an inode (docs/protocols/extents.md). The
 * idea is AVID-FP's (thesis 2.3): fragments checked against a fingerprinted cross-checksum, no timestamps, no second
 * round. A version is named by its pin, SHA-256 of its fpcc; the inode that holds the pin is the commit.
 */
@NullMarked
package io.bulwark.protocol.extent;

import org.jspecify.annotations.NullMarked;
