/** Identities: principals, blocks and ranges of blocks, each with one canonical encoding. */
@NullMarked
package io.bulwark.protocol.id;

import org.jspecify.annotations.NullMarked;
